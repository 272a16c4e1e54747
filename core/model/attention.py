from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import keras
from keras import ops

from core.model.dense import Dense
from core.model.interventions import gated
from core.model.tensor import Shape, Tensor, known_batch, length_of


class KeysValues(NamedTuple):
    """What queries attend to, split into heads and laid out for the matrix products of attention.

    With one batch axis and the keys transposed, compilers multiply them as they lie, and write those of a
    next token in place.
    """

    keys: Tensor  # (B * H, K, S)
    values: Tensor  # (B * H, S, K)


class Cache(Protocol):
    """Keys and values of earlier positions; `core.model.cached_attention` has one."""

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Any]:
        """Take in new keys and values and attend to all: output, weights, and what is cached then.

        Queries, keys and values of M beams at the next position are (B, H, M, K) each.
        """
        ...


def padding_mask(ids: Tensor) -> Tensor:
    """Ids (B, S) -> (B, 1, 1, S): True on real tokens, False on padding tokens."""
    return ops.not_equal(ids, 0)[:, None, None, :]


def look_ahead_mask(length: Tensor | int) -> Tensor:
    """(1, 1, T, T): row t may attend to positions up to t (3.2.3)."""
    positions = ops.arange(length)
    return (positions[:, None] >= positions[None, :])[None, None]


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, D) -> (B, H, T, K)."""
    return ops.transpose(_in_heads(x, length_of(x, 1), num_heads), (0, 2, 1, 3))


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, T, K) -> (B, T, D): the heads side by side again."""
    _, num_heads, _, width = x.shape
    # (B, H, T, K) -> (B, T, H, K) -> (B, T, D)
    return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (known_batch(x), length_of(x, 2), num_heads * width))


def keys_values(keys: Tensor, values: Tensor, num_heads: int) -> KeysValues:
    """Projected keys and values (B, S, D), split into heads."""
    length, head_dim = length_of(keys, 1), keys.shape[2] // num_heads
    # (B, S, D) -> (B, S, H, K) -> (B, H, K, S) -> (B * H, K, S)
    keys = ops.transpose(_in_heads(keys, length, num_heads), (0, 2, 3, 1))
    # (B, S, D) -> (B, S, H, K) -> (B, H, S, K) -> (B * H, S, K)
    values = ops.transpose(_in_heads(values, length, num_heads), (0, 2, 1, 3))
    return KeysValues(ops.reshape(keys, (-1, head_dim, length)), ops.reshape(values, (-1, length, head_dim)))


def _in_heads(x: Tensor, length: Tensor | int, num_heads: int) -> Tensor:
    """(B, T, D) -> (B, T, H, K), T being `length`."""
    return ops.reshape(x, (known_batch(x), length, num_heads, x.shape[2] // num_heads))


def scaled_dot_product_attention(queries: Tensor, source: KeysValues, mask: Tensor) -> tuple[Tensor, Tensor]:
    """softmax(Q K^T / sqrt(d_k)) V, equation (1).

    Args:
        queries: (B, H, T, K)
        source: keys and values of S positions
        mask: broadcasts to (B, H, T, S); True where a query may attend

    Returns:
        The output (B, H, T, K) and the attention weights (B, H, T, S). A weight is exactly 0 where the
        mask is False, unless the mask is False for the whole row. Only rows that fill up a batch are like
        that, and no loss may count them.
    """
    _, num_heads, _, head_dim = queries.shape
    length, source_length = length_of(queries, 2), length_of(source.values, 1)
    queries = queries / math.sqrt(head_dim)  # not the scores, which are more numbers
    scores = ops.matmul(ops.reshape(queries, (-1, length, head_dim)), source.keys)
    scores = ops.cast(
        ops.reshape(scores, (known_batch(queries), num_heads, length, source_length)), "float32"
    )
    # exp(-1e9 - max) is exactly 0. Adding costs the backward pass nothing.
    scores += ops.where(mask, 0.0, -1e9)
    # Keras warns about a softmax over one position; a one-word source is legitimate.
    weights = ops.ones_like(scores) if scores.shape[-1] == 1 else ops.softmax(scores, axis=-1)
    merged = ops.reshape(ops.cast(weights, source.values.dtype), (-1, length, source_length))
    output = ops.matmul(merged, source.values)
    return ops.reshape(output, (known_batch(queries), num_heads, length, head_dim)), weights


class SelfAttention(keras.layers.Layer):
    """Multi-head attention of a sequence to itself (3.2.2), with one fused projection to q, k and v."""

    def __init__(self, d_model: int, num_heads: int, name: str = "self_attention") -> None:
        super().__init__(name=name)
        self.num_heads = num_heads
        self.query_key_value = Dense(3 * d_model, name="query_key_value")
        self.output_projection = Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        self.query_key_value.build(shape)
        self.output_projection.build(shape)

    def call(
        self, x: Tensor, mask: Tensor, cache: Cache | None = None, gates: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Any]:
        """Attend.

        Args:
            x: (B, T, D)
            mask: broadcasts to (B, H, T, S); True where a query may attend
            cache: keys and values of the positions before x
            gates: (B, H), times the output of each head

        Returns:
            The output (B, T, D), the weights (B, H, T, S) and the keys and values attended to, as the cache holds them.
        """
        projected = self.query_key_value(x)
        if cache is None:
            queries, keys, values = ops.split(projected, 3, axis=-1)
            target = keys_values(keys, values, self.num_heads)
            output, weights = scaled_dot_product_attention(split_heads(queries, self.num_heads), target, mask)
        else:
            # (B, M, 3D) -> (B, 3H, M, K): with one transposition for the few rows of a step
            queries, keys, values = ops.split(split_heads(projected, 3 * self.num_heads), 3, axis=1)
            output, weights, target = cache.attend(queries, keys, values, mask)
        return self.output_projection(merge_heads(gated(output, gates))), weights, target


class CrossAttention(keras.layers.Layer):
    """Multi-head attention of the target to the encoded source (3.2.3), with keys and values fused."""

    def __init__(self, d_model: int, num_heads: int, name: str = "cross_attention") -> None:
        super().__init__(name=name)
        self.num_heads = num_heads
        self.query = Dense(d_model, name="query")
        self.key_value = Dense(2 * d_model, name="key_value")
        self.output_projection = Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        for projection in (self.query, self.key_value, self.output_projection):
            projection.build(shape)

    def keys_values(self, memory: Tensor) -> KeysValues:
        """The encoder's output (B, S, D), projected once for all target positions."""
        keys, values = ops.split(self.key_value(memory), 2, axis=-1)
        return keys_values(keys, values, self.num_heads)

    def call(
        self, x: Tensor, source: KeysValues, mask: Tensor, gates: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """x (B, T, D) -> the output (B, T, D) and the weights (B, H, T, S); `gates` (B, H) as in `SelfAttention`."""
        queries = split_heads(self.query(x), self.num_heads)
        output, weights = scaled_dot_product_attention(queries, source, mask)
        return self.output_projection(merge_heads(gated(output, gates))), weights
