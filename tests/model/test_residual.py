import keras
import numpy as np
import pytest

from core.config import NormPlacement
from core.model.residual import LayerNorm, Residual
from tests.conftest import TINY

X = np.random.default_rng(0).normal(3.0, 5.0, (2, 4, 8)).astype(np.float32)
Y = np.random.default_rng(1).normal(0.0, 1.0, (2, 4, 8)).astype(np.float32)


def build(norm: NormPlacement, dropout_rate: float = 0.1) -> Residual:
    residual = Residual(
        TINY.replace(norm=norm, dropout_rate=dropout_rate), keras.random.SeedGenerator(0), "residual"
    )
    residual.build((None, None, 8))
    return residual


def normalised(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)


@pytest.mark.parametrize("shape", [(2, 3, 8), (5, 8), (1, 1, 8)])
@pytest.mark.parametrize("mean", [3.0, 1000.0])
def test_a_norm_is_that_of_keras(shape: tuple[int, ...], mean: float) -> None:
    random = np.random.default_rng(2)
    ours, theirs = LayerNorm("norm"), keras.layers.LayerNormalization(epsilon=1e-6)
    for layer in (ours, theirs):
        layer.build((None, 8))
    ours.set_weights([random.normal(size=8), random.normal(size=8)])
    theirs.set_weights(ours.get_weights())
    x = random.normal(mean, 5.0, shape).astype(np.float32)
    assert np.allclose(ours(x), theirs(x), rtol=1e-4, atol=1e-4)


def test_a_norm_of_equal_numbers_is_the_shift() -> None:
    norm = LayerNorm("norm")
    norm.build((None, 8))
    norm.set_weights([np.full(8, 3.0), np.arange(8.0)])
    assert np.array_equal(norm(np.full((2, 8), 7.0, np.float32)), [np.arange(8)] * 2)


def test_post_norm_is_the_papers() -> None:
    residual = build("post")
    assert residual.before(X) is X
    assert np.allclose(residual.after(X, Y, training=False), normalised(X + Y), atol=1e-4)


def test_pre_norm_leaves_the_stream_as_it_is() -> None:
    residual = build("pre")
    assert np.allclose(residual.before(X), normalised(X), atol=1e-4)
    assert np.allclose(residual.after(X, Y, training=False), X + Y, atol=1e-5)


def test_dropout_falls_on_the_sublayer_alone() -> None:
    added = np.asarray(build("pre", 0.5).after(X, Y, training=True)) - X
    dropped = np.isclose(added, 0, atol=1e-5)
    assert 0.2 < dropped.mean() < 0.8
    assert np.allclose(added[~dropped], 2 * Y[~dropped], atol=1e-4)  # scaled by 1 / (1 - rate)
