"""Attention to keys and values that were computed before, while a translation grows token by token."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from keras import ops

from core.model.attention import KeysValues, scaled_dot_product_attention
from core.model.tensor import Tensor

MIN_PREFIX = 16  # positions of a large cache that are attended to at once
MAX_SMALL_CACHE = 1 << 15  # numbers; attending to all of them costs less than choosing a prefix


class GrowingCache(NamedTuple):
    """Keys and values with room for a known number of slots N, filled before `first_slot`."""

    slots: KeysValues  # (B * H, K, N) and (B * H, N, K)
    first_slot: Tensor  # scalar, where the next M go; a multiple of M

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, KeysValues]:
        """Write M new keys and values, then attend.

        Args:
            queries: (B, H, M, K)
            keys: (B, H, M, K)
            values: (B, H, M, K)
            mask: broadcasts to (B, H, M, N); True where a query may attend, which is before first_slot + M

        Returns:
            The output (B, H, M, K), the attention weights (B, H, M, N), and the slots with the new ones.
        """
        new = KeysValues(_flat_heads(ops.transpose(keys, (0, 1, 3, 2))), _flat_heads(values))
        slots = KeysValues(
            ops.slice_update(self.slots.keys, (0, 0, self.first_slot), new.keys),
            ops.slice_update(self.slots.values, (0, self.first_slot, 0), new.values),
        )
        output, weights = attention_to_prefix(queries, slots, mask, self.first_slot)
        return output, weights, slots


def _flat_heads(x: Tensor) -> Tensor:
    """(B, H, …) -> (B * H, …)."""
    return ops.reshape(x, (-1, *x.shape[2:]))


def attention_to_prefix(
    queries: Tensor, slots: KeysValues, mask: Tensor, first_slot: Tensor
) -> tuple[Tensor, Tensor]:
    """As `scaled_dot_product_attention`, over the smallest prefix that holds all filled slots.

    A cache has room for the longest sentence and is mostly empty. So a large one is attended to in its first
    16 positions alone, then in the first 32, the first 64, and so on.

    Args:
        queries: (B, H, M, K), of one position
        slots: N of them
        mask: broadcasts to (B, H, M, N); True where a query may attend, which is before first_slot + M
        first_slot: scalar, a multiple of M

    Returns:
        The output (B, H, M, K) and the attention weights (B, H, M, N).
    """
    sizes = _prefix_sizes(slots, queries.shape[2])
    if len(sizes) < 2:
        return scaled_dot_product_attention(queries, slots, mask)

    def attend_to(size: int) -> Callable[..., tuple[Tensor, Tensor]]:
        def attend(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
            prefix = KeysValues(keys[:, :, :size], values[:, :size])
            output, weights = scaled_dot_product_attention(queries, prefix, mask[..., :size])
            return output, ops.pad(weights, ((0, 0), (0, 0), (0, 0), (0, sizes[-1] - size)))

        return attend

    outgrown = sum(ops.cast(first_slot >= size, "int32") for size in sizes[:-1])
    return ops.switch(outgrown, [attend_to(size) for size in sizes], queries, *slots, mask)


def _prefix_sizes(slots: KeysValues, beam_size: int) -> list[int]:
    """Doubling numbers of slots up to all; none for small caches and those of unknown size."""
    if None in slots.values.shape or math.prod(slots.values.shape) <= MAX_SMALL_CACHE:
        return []
    sizes, last = [MIN_PREFIX * beam_size], slots.values.shape[1]
    while sizes[-1] < last:
        sizes.append(2 * sizes[-1])
    return [*sizes[:-1], last]
