import math
from typing import NamedTuple

import keras
from keras import ops

from core.model.tensor import Shape, Tensor


class KeysValues(NamedTuple):
    """What queries look at, split into heads."""

    keys: Tensor  # (B, H, S, K)
    values: Tensor  # (B, H, S, K)


def padding_mask(ids: Tensor) -> Tensor:
    """Ids (B, S) -> (B, 1, 1, S): True where a real token may be looked at, False on pads."""
    return ops.not_equal(ids, 0)[:, None, None, :]


def look_ahead_mask(length: Tensor | int) -> Tensor:
    """(1, 1, T, T): row t may look at positions up to t, never ahead (3.2.3)."""
    positions = ops.arange(length)
    return (positions[:, None] >= positions[None, :])[None, None]


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, D) -> (B, H, T, K)."""
    batch, length, width = ops.shape(x)
    # (B, T, D) -> (B, T, H, K)
    x = ops.reshape(x, (batch, length, num_heads, width // num_heads))
    return ops.transpose(x, (0, 2, 1, 3))


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, T, K) -> (B, T, D): the heads side by side again."""
    batch, num_heads, length, width = ops.shape(x)
    # (B, H, T, K) -> (B, T, H, K) -> (B, T, D)
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (batch, length, num_heads * width))


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """softmax(Q K^T / sqrt(d_k)) V, equation (1).

    Args:
        queries: (B, H, T, K)
        keys: (B, H, S, K)
        values: (B, H, S, K)
        mask: broadcasts to (B, H, T, S); True where a query may look

    Returns:
        The output (B, H, T, K) and the attention weights (B, H, T, S). A weight is exactly 0 where the
        mask is False, unless it is False for the whole row, as in a batch's filling rows.
    """
    scores = ops.matmul(queries, ops.transpose(keys, (0, 1, 3, 2))) / math.sqrt(queries.shape[-1])
    scores = ops.where(mask, ops.cast(scores, "float32"), -1e9)  # exp(-1e9 - max) is exactly 0
    # Keras takes a softmax over one position for a mistake and warns; a source of one word is none.
    weights = ops.ones_like(scores) if scores.shape[-1] == 1 else ops.softmax(scores, axis=-1)
    return ops.matmul(ops.cast(weights, values.dtype), values), weights


class SelfAttention(keras.layers.Layer):
    """Multi-head attention of a sequence to itself (3.2.2), with one fused projection to q, k and v."""

    def __init__(self, d_model: int, num_heads: int, name: str = "self_attention") -> None:
        super().__init__(name=name)
        self.num_heads = num_heads
        self.query_key_value = keras.layers.Dense(3 * d_model, name="query_key_value")
        self.merge = keras.layers.Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        self.query_key_value.build(shape)
        self.merge.build(shape)

    def call(
        self, x: Tensor, mask: Tensor, cache: KeysValues | None = None, position: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KeysValues]:
        """Attend.

        Args:
            x: (B, T, D)
            mask: broadcasts to (B, H, T, S); True where a query may look
            cache: keys and values of a whole sentence of which x is the one row at `position`
            position: scalar, with `cache` only

        Returns:
            The output (B, T, D), the weights (B, H, T, S) and the keys and values attended to.
        """
        projected = ops.split(self.query_key_value(x), 3, axis=-1)
        queries, keys, values = (split_heads(part, self.num_heads) for part in projected)
        if cache is not None:
            # A select over the length, not a scatter: it runs everywhere and compilers fuse it.
            here = (ops.arange(cache.keys.shape[2]) == position)[None, None, :, None]
            keys, values = ops.where(here, keys, cache.keys), ops.where(here, values, cache.values)
        output, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return self.merge(merge_heads(output)), weights, KeysValues(keys, values)


class CrossAttention(keras.layers.Layer):
    """Multi-head attention of the target to the encoded source (3.2.3), with keys and values fused."""

    def __init__(self, d_model: int, num_heads: int, name: str = "cross_attention") -> None:
        super().__init__(name=name)
        self.num_heads = num_heads
        self.query = keras.layers.Dense(d_model, name="query")
        self.key_value = keras.layers.Dense(2 * d_model, name="key_value")
        self.merge = keras.layers.Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        for projection in (self.query, self.key_value, self.merge):
            projection.build(shape)

    def keys_values(self, memory: Tensor) -> KeysValues:
        """The encoder's output (B, S, D), projected once for all target positions."""
        keys, values = ops.split(self.key_value(memory), 2, axis=-1)
        return KeysValues(split_heads(keys, self.num_heads), split_heads(values, self.num_heads))

    def call(self, x: Tensor, source: KeysValues, mask: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, T, D) -> the output (B, T, D) and the weights (B, H, T, S)."""
        queries = split_heads(self.query(x), self.num_heads)
        output, weights = scaled_dot_product_attention(queries, source.keys, source.values, mask)
        return self.merge(merge_heads(output)), weights
