import math

import numpy as np
import pytest

from core.config import ModelConfig
from core.weights import flatten, initial_weights, parameter_count, unflatten, weight_shapes
from tests.conftest import VARIANTS


@pytest.mark.parametrize("config", VARIANTS)
def test_initial_weights_are_those_listed_and_flatten_and_back(config: ModelConfig) -> None:
    weights = initial_weights(config, 1)
    assert {name: array.shape for name, array in weights.items()} == weight_shapes(config)
    vector = flatten(weights)
    assert vector.shape == (parameter_count(config),) and vector.dtype == np.float32
    back = unflatten(vector, config)
    assert list(back) == list(weights)
    assert all(np.array_equal(back[name], weights[name]) for name in weights)
    assert np.array_equal(vector, flatten(initial_weights(config, 1)))
    assert not np.array_equal(vector, flatten(initial_weights(config, 2)))


def test_statistics_of_the_initial_weights() -> None:
    large = ModelConfig(source_vocab_size=500, target_vocab_size=400, d_model=128, num_heads=8, d_ff=512)
    for name, array in initial_weights(large, 3).items():
        if name.endswith("kernel"):
            limit = math.sqrt(6 / sum(array.shape))  # Glorot & Bengio 2010, equation 16
            assert np.abs(array).max() <= limit
            assert array.std() == pytest.approx(limit / math.sqrt(3), rel=0.05)
            assert abs(array.mean()) < 0.05 * limit
        elif name.endswith("embeddings"):
            assert array.std() == pytest.approx(128**-0.5, rel=0.05)
        else:
            assert (array == (1.0 if name.endswith("gamma") else 0.0)).all()
