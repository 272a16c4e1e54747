import keras
import numpy as np
import pytest
from numpy.typing import NDArray

from core.model.attention import (
    CrossAttention,
    SelfAttention,
    scaled_dot_product_attention,
)
from core.theory import masks as theory_masks

B, S, T, D, H = 3, 6, 5, 12, 4
RANDOM = np.random.default_rng(0)
IDS = np.array([[4, 5, 6, 7, 0, 0], [8, 2, 10, 3, 9, 1], [2, 0, 0, 0, 0, 0]], np.int32)


def random(*shape: int) -> NDArray[np.float32]:
    return RANDOM.standard_normal(shape).astype(np.float32)


def randomise(layer: keras.layers.Layer) -> None:
    for variable in layer.trainable_variables:
        variable.assign(random(*variable.shape))


@pytest.mark.filterwarnings("error")
def test_one_word_is_looked_at_without_a_warning() -> None:
    """Keras takes a softmax over one entry for a mistake; for word lists it is none."""
    source = random(2, H, 1, 3)
    _, weights = scaled_dot_product_attention(random(2, H, T, 3), source, source, True)
    assert np.array_equal(weights, np.ones((2, H, T, 1)))


def by_heads(kernel: NDArray[np.float32], bias: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """A fused projection as Keras keeps them: for each part (D, H, K) and (H, K)."""
    parts = kernel.shape[1] // D
    split = zip(np.split(kernel, parts, axis=1), np.split(bias, parts), strict=True)
    return [array for k, b in split for array in (k.reshape(D, H, D // H), b.reshape(H, D // H))]


def keras_attention(
    projections: list[NDArray[np.float32]], output: keras.layers.Dense
) -> keras.layers.MultiHeadAttention:
    """An independent implementation, Keras's own, with these weights."""
    layer = keras.layers.MultiHeadAttention(num_heads=H, key_dim=D // H)
    layer.build((None, None, D), (None, None, D), (None, None, D))
    merge = output.kernel.numpy().reshape(H, D // H, D)
    layer.set_weights([*projections, merge, output.bias.numpy()])
    return layer


def test_self_attention_equals_keras() -> None:
    ours = SelfAttention(D, H)
    ours.build((None, None, D))
    randomise(ours)
    fused = ours.query_key_value
    theirs = keras_attention(by_heads(fused.kernel.numpy(), fused.bias.numpy()), ours.output_projection)

    x = random(B, S, D)
    mask = theory_masks.decoder_mask(IDS)
    received, weights = ours(x, mask)
    expected, expected_weights = theirs(x, x, attention_mask=mask[:, 0], return_attention_scores=True)
    assert np.allclose(received, expected, atol=1e-4)
    assert np.allclose(weights, expected_weights, atol=1e-5)


def test_cross_attention_equals_keras() -> None:
    ours = CrossAttention(D, H)
    ours.build((None, None, D))
    randomise(ours)
    projections = [
        part
        for fused in (ours.query, ours.key_value)
        for part in by_heads(fused.kernel.numpy(), fused.bias.numpy())
    ]
    theirs = keras_attention(projections, ours.output_projection)

    x, memory = random(B, T, D), random(B, S, D)
    mask = theory_masks.padding_mask(IDS)
    received, weights = ours(x, memory, mask)
    expected, expected_weights = theirs(x, memory, attention_mask=mask[:, 0], return_attention_scores=True)
    assert np.allclose(received, expected, atol=1e-4)
    assert np.allclose(weights, expected_weights, atol=1e-5)
