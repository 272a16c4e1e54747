from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import keras
from keras import ops

from core.model.dense import Dense
from core.model.tensor import Shape, Tensor

FEWEST_POSITIONS = 32  # of a large cache, that are attended to at once
SMALL_CACHE = 1 << 15  # numbers; attending to all of it costs less than choosing a part


class KeysValues(NamedTuple):
    """What queries look at, split into heads and laid out for the matrix products of attention.

    With one batch axis and the keys transposed, compilers multiply them as they lie, and write those of a
    next token in place.
    """

    keys: Tensor  # (B * H, K, S)
    values: Tensor  # (B * H, S, K)

    def with_slots(self, new: KeysValues, first_slot: Tensor) -> KeysValues:
        """A cache of N slots with M `new` ones from `first_slot` on."""
        if self.values.shape[1] is not None:
            return KeysValues(
                ops.slice_update(self.keys, (0, 0, first_slot), new.keys),
                ops.slice_update(self.values, (0, first_slot, 0), new.values),
            )
        # In exported graphs, which shall need no operation that is XLA's own, each slot picks its source.
        slots, number = ops.shape(self.values)[1], new.values.shape[1]
        index = ops.arange(slots) - first_slot
        is_new = ops.logical_and(index >= 0, index < number)
        index = ops.clip(index, 0, number - 1)
        return KeysValues(
            ops.where(is_new, ops.take(new.keys, index, axis=2), self.keys),
            ops.where(is_new[:, None], ops.take(new.values, index, axis=1), self.values),
        )


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


def keys_values(keys: Tensor, values: Tensor, num_heads: int) -> KeysValues:
    """Projected keys and values (B, S, D), split into heads."""
    batch, length, width = ops.shape(keys)
    # (B, S, D) -> (B, S, H, K) -> (B, H, K, S) -> (B * H, K, S)
    keys = ops.transpose(ops.reshape(keys, (batch, length, num_heads, width // num_heads)), (0, 2, 3, 1))
    keys = ops.reshape(keys, (-1, width // num_heads, length))
    # (B, S, D) -> (B, H, S, K) -> (B * H, S, K)
    values = ops.reshape(split_heads(values, num_heads), (-1, length, width // num_heads))
    return KeysValues(keys, values)


def scaled_dot_product_attention(queries: Tensor, source: KeysValues, mask: Tensor) -> tuple[Tensor, Tensor]:
    """softmax(Q K^T / sqrt(d_k)) V, equation (1).

    Args:
        queries: (B, H, T, K)
        source: keys and values of S positions
        mask: broadcasts to (B, H, T, S); True where a query may look

    Returns:
        The output (B, H, T, K) and the attention weights (B, H, T, S). A weight is exactly 0 where the
        mask is False, unless it is False for the whole row, as in a batch's filling rows, which no loss
        may count: their scores pass a gradient on.
    """
    batch, num_heads, length, head_width = ops.shape(queries)
    source_length = ops.shape(source.values)[1]
    queries = queries / math.sqrt(head_width)  # sooner than the scores, which are more numbers
    scores = ops.matmul(ops.reshape(queries, (-1, length, head_width)), source.keys)
    scores = ops.cast(ops.reshape(scores, (batch, num_heads, length, source_length)), "float32")
    # exp(-1e9 - max) is exactly 0. Added, since the gradient passes a sum as it is.
    scores += ops.where(mask, 0.0, -1e9)
    # Keras takes a softmax over one position for a mistake and warns; a source of one word is none.
    weights = ops.ones_like(scores) if scores.shape[-1] == 1 else ops.softmax(scores, axis=-1)
    merged = ops.reshape(ops.cast(weights, source.values.dtype), (-1, length, source_length))
    output = ops.matmul(merged, source.values)
    return ops.reshape(output, (batch, num_heads, length, head_width)), weights


def attention_to_filled(
    queries: Tensor, cache: KeysValues, mask: Tensor, first_slot: Tensor
) -> tuple[Tensor, Tensor]:
    """As `scaled_dot_product_attention`, looking only where a cache is filled, give or take.

    A cache has room for the longest sentence, and most of it is empty most of the time. So of a large one
    the first 32 positions are attended to alone, then the first 64, the first 128, and so on.

    Args:
        queries: (B, H, M, K), of one position
        cache: room for N slots
        mask: broadcasts to (B, H, M, N); True where a query may look, which is before first_slot + M
        first_slot: scalar, a multiple of M

    Returns:
        The output (B, H, M, K) and the attention weights (B, H, M, N).
    """
    rooms = _rooms(cache, queries.shape[2])
    if len(rooms) < 2:
        return scaled_dot_product_attention(queries, cache, mask)
    slots = rooms[-1]

    def attend_to(room: int) -> Callable[..., tuple[Tensor, Tensor]]:
        def attend(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
            filled = KeysValues(keys[:, :, :room], values[:, :room])
            output, weights = scaled_dot_product_attention(queries, filled, mask[..., :room])
            return output, ops.pad(weights, ((0, 0), (0, 0), (0, 0), (0, slots - room)))

        return attend

    outgrown = sum(ops.cast(first_slot >= room, "int32") for room in rooms[:-1])
    return ops.switch(outgrown, [attend_to(room) for room in rooms], queries, *cache, mask)


def _rooms(cache: KeysValues, beam_size: int) -> list[int]:
    """How many slots of a cache to attend to, at most, as it fills; none where its size is not known."""
    if None in cache.values.shape or math.prod(cache.values.shape) <= SMALL_CACHE:
        return []
    rooms, slots = [FEWEST_POSITIONS * beam_size], cache.values.shape[1]
    while rooms[-1] < slots:
        rooms.append(2 * rooms[-1])
    return [*rooms[:-1], slots]


class SelfAttention(keras.layers.Layer):
    """Multi-head attention of a sequence to itself (3.2.2), with one fused projection to q, k and v."""

    def __init__(self, d_model: int, num_heads: int, name: str = "self_attention") -> None:
        super().__init__(name=name)
        self.num_heads = num_heads
        self.query_key_value = Dense(3 * d_model, name="query_key_value")
        self.merge = Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        self.query_key_value.build(shape)
        self.merge.build(shape)

    def call(
        self, x: Tensor, mask: Tensor, cache: KeysValues | None = None, first_slot: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KeysValues]:
        """Attend.

        Args:
            x: (B, T, D)
            mask: broadcasts to (B, H, T, S); True where a query may look
            cache: keys and values computed before, with room for those of x
            first_slot: scalar, where in the cache those of x go; with `cache` only

        Returns:
            The output (B, T, D), the weights (B, H, T, S) and the keys and values attended to.
        """
        queries, keys, values = ops.split(self.query_key_value(x), 3, axis=-1)
        queries, target = split_heads(queries, self.num_heads), keys_values(keys, values, self.num_heads)
        if cache is None:
            output, weights = scaled_dot_product_attention(queries, target, mask)
        else:
            target = cache.with_slots(target, first_slot)
            output, weights = attention_to_filled(queries, target, mask, first_slot)
        return self.merge(merge_heads(output)), weights, target


class CrossAttention(keras.layers.Layer):
    """Multi-head attention of the target to the encoded source (3.2.3), with keys and values fused."""

    def __init__(self, d_model: int, num_heads: int, name: str = "cross_attention") -> None:
        super().__init__(name=name)
        self.num_heads = num_heads
        self.query = Dense(d_model, name="query")
        self.key_value = Dense(2 * d_model, name="key_value")
        self.merge = Dense(d_model, name="output")

    def build(self, shape: Shape) -> None:
        for projection in (self.query, self.key_value, self.merge):
            projection.build(shape)

    def keys_values(self, memory: Tensor) -> KeysValues:
        """The encoder's output (B, S, D), projected once for all target positions."""
        keys, values = ops.split(self.key_value(memory), 2, axis=-1)
        return keys_values(keys, values, self.num_heads)

    def call(self, x: Tensor, source: KeysValues, mask: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, T, D) -> the output (B, T, D) and the weights (B, H, T, S)."""
        queries = split_heads(self.query(x), self.num_heads)
        output, weights = scaled_dot_product_attention(queries, source, mask)
        return self.merge(merge_heads(output)), weights
