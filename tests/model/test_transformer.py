from functools import lru_cache

import numpy as np
import pytest

from core.config import ModelConfig
from core.model.transformer import Transformer
from core.weights import parameter_count, weight_shapes
from tests.conftest import TINY, VARIANTS, random_weights

SOURCE = np.array([[4, 5, 6, 7, 0, 0], [8, 2, 10, 3, 9, 1], [2, 0, 0, 0, 0, 0]], np.int32)
TARGET = np.array([[2, 5, 6, 0, 0], [2, 8, 1, 7, 4], [2, 0, 0, 0, 0]], np.int32)


@lru_cache
def build(config: ModelConfig) -> Transformer:
    """One for all tests: they change nothing in it."""
    model = Transformer(config)
    model.assign_weights(random_weights(config))
    return model


@pytest.mark.parametrize("config", VARIANTS)
def test_builds_exactly_the_weights_listed(config: ModelConfig) -> None:
    model = build(config)
    built = {name: tuple(variable.shape) for name, variable in model.variables_by_name().items()}
    assert list(built.items()) == list(weight_shapes(config).items())
    assert len(built) == len(model.trainable_variables)
    assert parameter_count(config) == sum(int(np.prod(v.shape)) for v in model.trainable_variables)


def test_a_row_of_pads_alone_gives_numbers() -> None:
    assert np.isfinite(build(TINY)(np.zeros((1, 6), np.int32), np.zeros((1, 5), np.int32))).all()


@pytest.mark.slow
def test_dropout_is_on_in_training_alone() -> None:
    model = build(TINY.replace(dropout_rate=0.5))
    quiet = [model(SOURCE, TARGET).numpy() for _ in range(2)]
    loud = [model(SOURCE, TARGET, training=True).numpy() for _ in range(2)]
    assert np.array_equal(*quiet)
    assert not np.allclose(*loud)
    without = build(TINY.replace(dropout_rate=0.0))
    assert np.array_equal(without(SOURCE, TARGET).numpy(), without(SOURCE, TARGET, training=True).numpy())
