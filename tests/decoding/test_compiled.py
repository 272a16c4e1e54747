import numpy as np
import pytest
import tensorflow as tf

from core.decoding import compiled
from core.decoding.compiled import compiled_search, pack, target_limit, unpack
from core.model import xla_programs
from core.presets import CLASSROOM
from tests.conftest import TINY, random_weights

CONFIG = CLASSROOM.model.replace(max_source_length=100, max_target_length=90)


def test_a_translation_is_at_most_fifty_tokens_longer_or_the_models_limit() -> None:
    assert target_limit(8, CONFIG) == 58  # Vaswani et al. 2017, section 6.1
    assert target_limit(64, CONFIG) == 90


def test_one_compiled_search_for_everybody() -> None:
    assert compiled_search(TINY, 1, 8, 1) is compiled_search(TINY.replace(), 1, 8, 1)
    assert compiled_search(TINY, 1, 8, 1) is not compiled_search(TINY, 1, 8, 2)


def test_weights_come_out_of_the_pack_as_they_went_in() -> None:
    weights = list(random_weights(TINY).values())
    unpacked = unpack(pack([tf.constant(array) for array in weights]), TINY)
    assert all(np.array_equal(a, b) for a, b in zip(unpacked, weights, strict=True))


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_plain_graph_finds_what_xla_finds(
    with_xla: None, monkeypatch: pytest.MonkeyPatch, beam_size: int
) -> None:
    """Beyond MAX_XLA_PROGRAMS there is no other way."""
    weights = pack([tf.constant(array) for array in random_weights(TINY).values()])
    source = np.array([[4, 5, 6, 7, 0, 0, 0, 0], [8, 2, 10, 3, 9, 1, 4, 4]], np.int32)
    arguments = TINY, 2, 8, beam_size
    by_xla = compiled._compiled_search.__wrapped__(*arguments)(weights, source, 0.6)
    monkeypatch.setattr(xla_programs, "MAX_XLA_PROGRAMS", 0)
    plain = compiled._compiled_search.__wrapped__(*arguments)(weights, source, 0.6)
    assert np.array_equal(by_xla.ids, plain.ids)
    assert np.allclose(by_xla.log_probability, plain.log_probability, atol=1e-4)
