import numpy as np
import pytest

from core.config import ModelConfig
from core.decoding.cache import empty_cache
from core.decoding.compiled import batch_bucket, compiled_search, source_bucket, target_limit
from core.presets import CLASSROOM
from tests.conftest import TINY

CONFIG = CLASSROOM.model.replace(max_source_length=100, max_target_length=90)


@pytest.mark.parametrize(
    ("length", "expected"), [(1, 8), (8, 8), (9, 16), (16, 16), (17, 32), (64, 64), (65, 100), (100, 100)]
)
def test_source_buckets_double_up_to_the_models_limit(length: int, expected: int) -> None:
    assert source_bucket(length, CONFIG) == expected


def test_a_short_models_bucket_is_its_limit() -> None:
    assert source_bucket(2, CONFIG.replace(max_source_length=5)) == 5


def test_every_batch_fits_its_bucket() -> None:
    assert {size: batch_bucket(size) for size in (1, 2, 4, 5, 16, 17, 64)} == {
        1: 1, 2: 4, 4: 4, 5: 16, 16: 16, 17: 64, 64: 64
    }  # fmt: skip


def test_a_translation_is_at_most_fifty_tokens_longer_or_the_models_limit() -> None:
    assert target_limit(8, CONFIG) == 58  # Vaswani et al. 2017, section 6.1
    assert target_limit(64, CONFIG) == 90


@pytest.mark.parametrize("config", [CONFIG, TINY])
def test_the_cache_has_room_for_every_layer_head_and_position(config: ModelConfig) -> None:
    cache = empty_cache(config, 3, 7)
    assert len(cache) == config.num_layers
    for layer in cache:
        for part in layer:
            assert part.shape == (3, config.num_heads, 7, config.d_model // config.num_heads)
            assert not np.any(part)


def test_one_compiled_search_for_everybody() -> None:
    assert compiled_search(TINY, 1, 8, 1) is compiled_search(TINY.replace(), 1, 8, 1)
    assert compiled_search(TINY, 1, 8, 1) is not compiled_search(TINY, 1, 8, 2)
