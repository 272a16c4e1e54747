"""What each layer has beside its attention; that norms stand where theory has them: NumPy equals Keras."""

import math

import keras
import numpy as np
import pytest

from core.config import Activation
from core.model.attention import scaled_dot_product_attention
from core.model.embedding import Embedding
from core.model.sublayers import Dropout, FeedForward, Residual
from tests.conftest import TINY

IDS = np.array([[4, 5, 4], [1, 0, 10]], np.int32)
X = np.random.default_rng(0).normal(3.0, 5.0, (2, 4, 8)).astype(np.float32)
Y = np.random.default_rng(1).normal(0.0, 1.0, (2, 4, 8)).astype(np.float32)


def randomise(layer: keras.layers.Layer) -> None:
    for variable in layer.trainable_variables:
        variable.assign(np.random.default_rng(1).standard_normal(variable.shape))


def test_learned_positions_are_scaled_like_the_tokens() -> None:
    config = TINY.replace(positional_encoding="learned")
    layer = Embedding(keras.layers.Embedding(11, 8), 8, config, name="source_embedding")
    layer.build((None, None))
    randomise(layer)
    assert layer.positions is not None
    tokens, positions = layer.tokens.embeddings.numpy(), layer.positions.embeddings.numpy()
    # times sqrt(d_model), section 3.4
    assert np.allclose(layer(IDS), (tokens[IDS] + positions[:3]) * 8**0.5, atol=1e-5)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_equation_2_at_each_position_alone(activation: Activation) -> None:
    layer = FeedForward(TINY.replace(activation=activation))
    layer.build((None, None, 8))
    randomise(layer)
    kernel_1, bias_1, kernel_2, bias_2 = (variable.numpy() for variable in layer.trainable_variables)
    inner = Y @ kernel_1 + bias_1
    if activation == "relu":
        inner = np.maximum(0, inner)
    else:
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
    assert np.allclose(layer(Y), inner @ kernel_2 + bias_2, atol=1e-4)
    assert np.allclose(layer(Y)[:, 1:2], layer(Y[:, 1:2]), atol=1e-5)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("entries", [1, 2, 99_999])  # odd numbers leave half a draw over
def test_dropout_has_the_rate_and_keeps_the_mean(rate: float, entries: int) -> None:
    ones = np.ones(entries, np.float32)
    received = np.asarray(Dropout(rate, seed=7)(ones, training=True))
    assert received.shape == ones.shape
    assert np.allclose(received[received != 0], 1 / (1 - rate), rtol=1e-3)
    assert abs((received == 0).mean() - rate) <= 5 * np.sqrt(rate * (1 - rate) / entries) + 2**-16
    assert Dropout(rate)(ones) is ones or np.array_equal(Dropout(rate)(ones), ones)


def test_neighbours_are_dropped_independently() -> None:
    """Two entries share a draw of 32 bits, half each."""
    dropped = np.asarray(Dropout(0.5, seed=7)(np.ones(40_000), training=True)) == 0
    for distance in (1, 2):
        both = (dropped[:-distance] & dropped[distance:]).mean()
        assert abs(both - 0.25) < 0.011  # five standard deviations of 40,000 draws


def test_dropout_falls_on_the_sublayer_alone() -> None:
    residual = Residual(TINY.replace(norm="pre", dropout_rate=0.5), "residual")
    residual.build((None, None, 8))
    added = np.asarray(residual.add_and_norm(X, Y, training=True)) - X
    dropped = np.isclose(added, 0, atol=1e-5)
    assert 0.2 < dropped.mean() < 0.8
    assert np.allclose(added[~dropped], 2 * Y[~dropped], atol=1e-4)  # scaled by 1 / (1 - rate)


@pytest.mark.filterwarnings("error")
def test_one_word_is_looked_at_without_a_warning() -> None:
    """Keras takes a softmax over one entry for a mistake; for word lists it is none."""
    source, queries = np.ones((2, 4, 1, 3), np.float32), np.ones((2, 4, 5, 3), np.float32)
    output = scaled_dot_product_attention(queries, source, 2 * source, True)
    assert np.array_equal(output, np.full((2, 4, 5, 3), 2))
