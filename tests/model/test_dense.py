import keras
import numpy as np
import pytest

from core.model.dense import Dense


@pytest.mark.parametrize("shape", [(2, 3, 4), (5, 4), (2, 1, 3, 4)])
@pytest.mark.parametrize("activation", [None, "relu", "gelu"])
def test_the_same_as_keras_at_every_position(shape: tuple[int, ...], activation: str | None) -> None:
    random = np.random.default_rng(0)
    ours, theirs = Dense(6, activation=activation), keras.layers.Dense(6, activation=activation)
    for layer in (ours, theirs):
        layer.build((None, 4))
    ours.kernel.assign(random.normal(size=(4, 6)))
    ours.bias.assign(random.normal(size=6))
    theirs.set_weights(ours.get_weights())
    x = random.normal(size=shape).astype(np.float32)
    assert ours(x).shape == (*shape[:-1], 6)
    assert np.allclose(ours(x), theirs(x), atol=1e-6)
