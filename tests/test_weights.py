import math

import numpy as np
import pytest

from core.config import ConfigError, ModelConfig
from core.model.transformer import Transformer
from core.weights import flatten, initial_weights, parameter_count, unflatten, weight_shapes
from tests.conftest import TINY, VARIANTS

LARGE = ModelConfig(source_vocab_size=500, target_vocab_size=400, d_model=128, num_heads=8, d_ff=512)


@pytest.mark.parametrize("config", VARIANTS)
def test_initial_weights_have_the_listed_names_and_shapes(config: ModelConfig) -> None:
    weights = initial_weights(config, 1)
    assert {name: array.shape for name, array in weights.items()} == weight_shapes(config)
    assert all(array.dtype == np.float32 for array in weights.values())


@pytest.mark.parametrize("config", VARIANTS)
def test_flatten_and_back(config: ModelConfig) -> None:
    weights = initial_weights(config, 1)
    vector = flatten(weights)
    assert vector.shape == (parameter_count(config),)
    back = unflatten(vector, config)
    assert list(back) == list(weights)
    assert all(np.array_equal(back[name], weights[name]) for name in weights)


def test_the_seed_decides() -> None:
    first, again, other = (flatten(initial_weights(TINY, seed)) for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_statistics_of_the_initial_weights() -> None:
    for name, array in initial_weights(LARGE, 3).items():
        if name.endswith("kernel"):
            limit = math.sqrt(6 / sum(array.shape))  # Glorot & Bengio 2010, equation 16
            assert np.abs(array).max() <= limit
            assert array.std() == pytest.approx(limit / math.sqrt(3), rel=0.05)
            assert abs(array.mean()) < 0.05 * limit
        elif name.endswith("embeddings"):
            assert array.std() == pytest.approx(128**-0.5, rel=0.05)
        else:
            assert (array == (1.0 if name.endswith("gamma") else 0.0)).all()


def test_tying_drops_the_output_and_learned_positions_add_theirs() -> None:
    plain = set(weight_shapes(TINY))
    tied = set(weight_shapes(TINY.replace(tie_embeddings=True)))
    learned = set(weight_shapes(TINY.replace(positional_encoding="learned")))
    pre = set(weight_shapes(TINY.replace(norm="pre")))
    assert plain - tied == {"output/kernel", "output/bias"} and tied < plain
    assert learned - plain == {f"{side}_embedding/positions/embeddings" for side in ("source", "target")}
    assert pre - plain == {
        f"{side}/final_norm/{part}" for side in ("encoder", "decoder") for part in ("gamma", "beta")
    }


def test_one_embedding_for_both_languages_and_the_output() -> None:
    config = TINY.replace(target_vocab_size=11, tie_embeddings=True, share_embeddings=True)
    model = Transformer(config)
    built = {name: tuple(variable.shape) for name, variable in model.variables_by_name().items()}
    assert built == weight_shapes(config)
    assert len(built) == len(model.trainable_variables)
    assert [name for name in built if "embedding" in name] == ["shared_embedding/embeddings"]
    assert model.source_embedding.tokens is model.target_embedding.tokens


def test_shared_embeddings_need_one_vocabulary() -> None:
    with pytest.raises(
        ConfigError, match=r"needs one vocabulary .* source_vocab_size=11, target_vocab_size=9"
    ):
        TINY.replace(share_embeddings=True)
