import math

import keras
import numpy as np
import pytest

from core.config import Activation
from core.model.feed_forward import FeedForward
from tests.conftest import TINY


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_equation_2_at_each_position_alone(activation: Activation) -> None:
    layer = FeedForward(TINY.replace(activation=activation), keras.random.SeedGenerator(0))
    layer.build((None, None, 8))
    random = np.random.default_rng(0)
    for variable in layer.trainable_variables:
        variable.assign(random.standard_normal(variable.shape))
    kernel_1, bias_1, kernel_2, bias_2 = (variable.numpy() for variable in layer.trainable_variables)
    x = random.standard_normal((2, 3, 8)).astype(np.float32)
    inner = x @ kernel_1 + bias_1
    if activation == "relu":
        inner = np.maximum(0, inner)
    else:
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
    assert np.allclose(layer(x), inner @ kernel_2 + bias_2, atol=1e-4)
    assert np.allclose(layer(x)[:, 1:2], layer(x[:, 1:2]), atol=1e-5)
