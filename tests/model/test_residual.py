import keras
import numpy as np

from core.config import NormPlacement
from core.model.residual import Residual
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
