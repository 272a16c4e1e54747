"""Multi-head scaled dot-product attention (3.2), and the masks. Axis letters: see `core.config`."""

import math
from typing import Any

import keras
from keras import ops

from core.tokens.vocabulary import PAD_ID

Tensor = Any  # a tensor of Keras's backend
Shape = tuple[int | None, ...]  # None for any length


def padding_mask(ids: Tensor) -> Tensor:
    """Return where ids (B, S) are not padding, (B, 1, 1, S)."""
    return ops.not_equal(ids, PAD_ID)[:, None, None, :]


def causal_mask(length: Tensor | int) -> Tensor:
    """Return the mask (1, 1, T, T) that lets position t attend to positions 0 to t (3.2.3)."""
    positions = ops.arange(length)
    return (positions[:, None] >= positions[None, :])[None, None]


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Split x (B, T, H * K) into heads, (B, H, T, K)."""
    batch, length, width = ops.shape(x)
    return ops.transpose(ops.reshape(x, (batch, length, num_heads, width // num_heads)), (0, 2, 1, 3))


def merge_heads(x: Tensor) -> Tensor:
    """Join heads (B, H, T, K) side by side, (B, T, H * K)."""
    batch, num_heads, length, width = ops.shape(x)
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (batch, length, num_heads * width))


def scaled_dot_product_attention(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """Compute softmax(Q K^T / sqrt(d_k)) V, equation (1).

    Args:
        queries: (B, H, T, K)
        keys: (B, H, S, K)
        values: (B, H, S, K)
        mask: broadcasts to (B, H, T, S); True where a query may attend

    Returns:
        The output (B, H, T, K). The weights are exactly 0 where the mask is False, except in rows where it is False
        everywhere. These belong to padding sentences, which the loss ignores.
    """
    # Scale the queries, which have fewer elements than the scores.
    queries = queries / math.sqrt(queries.shape[-1])
    scores = ops.matmul(queries, ops.transpose(keys, (0, 1, 3, 2)))
    # exp(-1e9 - max) is exactly 0. An additive mask needs no op in the backward pass.
    scores = ops.cast(scores, "float32") + ops.where(mask, 0.0, -1e9)
    # Keras warns about a softmax over one position, which a one-word source has.
    weights = ops.ones_like(scores) if scores.shape[-1] == 1 else ops.softmax(scores, axis=-1)
    return ops.matmul(ops.cast(weights, values.dtype), values)


class SelfAttention(keras.layers.Layer):
    """Multi-head attention of a sequence to itself (3.2.2), with one projection for queries, keys and values."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(name="self_attention")
        self.num_heads = num_heads
        self.query_key_value = keras.layers.Dense(3 * d_model, name="query_key_value")
        self.output_projection = keras.layers.Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        self.query_key_value.build(shape)
        self.output_projection.build(shape)

    def call(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the output (B, T, D) for x (B, T, D) and a mask (B, 1, T or 1, T)."""
        projected = split_heads(self.query_key_value(x), 3 * self.num_heads)
        queries, keys, values = ops.split(projected, 3, axis=1)
        heads = scaled_dot_product_attention(queries, keys, values, mask)
        return self.output_projection(merge_heads(heads))


class CrossAttention(keras.layers.Layer):
    """Multi-head attention of the target to the encoded source (3.2.3), with one projection for keys and values."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(name="cross_attention")
        self.num_heads = num_heads
        self.query = keras.layers.Dense(d_model, name="query")
        self.key_value = keras.layers.Dense(2 * d_model, name="key_value")
        self.output_projection = keras.layers.Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        self.query.build(shape)
        self.key_value.build(shape)
        self.output_projection.build(shape)

    def call(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Attend from x (B, T, D) to the encoder's output `memory` (B, S, D), with a mask (B, 1, 1, S)."""
        queries = split_heads(self.query(x), self.num_heads)
        keys, values = ops.split(split_heads(self.key_value(memory), 2 * self.num_heads), 2, axis=1)
        heads = scaled_dot_product_attention(queries, keys, values, mask)
        return self.output_projection(merge_heads(heads))
