"""Keys and values of earlier tokens in graphs without XLA, for any number of sentences and tokens."""

from __future__ import annotations

from typing import NamedTuple, Self

import tensorflow as tf

from core.model.attention import KeysValues, scaled_dot_product_attention
from core.model.tensor import Tensor


class SlotRows(NamedTuple):
    """Keys and values of M beams at each of T positions; zero where nothing was written yet."""

    keys: Tensor  # (B * H, T, M * K)
    values: Tensor  # (B * H, T, M * K)


class Places(NamedTuple):
    """Where a step writes in the cache of every layer."""

    rows: Tensor  # (B * H, 2): each head and the position
    shape: Tensor  # (3,): B * H, T * M, K, for all that is written

    @classmethod
    def at(cls, position: Tensor, slots: SlotRows, beam_size: int) -> Self:
        """Those of a position, in slots of any layer, for M beams."""
        heads, length, width = tf.unstack(tf.shape(slots.keys))
        rows = tf.stack([tf.range(heads), tf.fill([heads], position)], axis=1)
        return cls(rows, tf.stack([heads, length * beam_size, width // beam_size]))


class RowCache(NamedTuple):
    """As `core.model.cached_attention.GrowingCache`, where the number of slots is not known.

    It attends to all slots, of which there should not be many more than are filled.
    """

    slots: SlotRows
    places: Places

    def attend(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, SlotRows]:
        """Write M new keys and values, then attend; arguments and results as in `GrowingCache.attend`."""
        slots = SlotRows(self._with(self.slots.keys, keys), self._with(self.slots.values, values))
        keys, values = (self._one_each(rows, queries.shape[3]) for rows in slots)
        # TensorFlow's graph optimizer folds this transpose into the product that follows.
        seen = KeysValues(tf.transpose(keys, (0, 2, 1)), values)
        output, weights = scaled_dot_product_attention(queries, seen, mask)
        return output, weights, slots

    def _with(self, slots: Tensor, new: Tensor) -> Tensor:
        """Slots (B * H, T, M * K) with new ones (B, H, M, K)."""
        updates = tf.reshape(new, (-1, slots.shape[2]))
        # Adds to zero in place. tf.tensor_scatter_nd_update copies all slots, a tenth of the time of a step.
        return tf.raw_ops.ScatterNdNonAliasingAdd(input=slots, indices=self.places.rows, updates=updates)

    def _one_each(self, slots: Tensor, head_dim: int) -> Tensor:
        """Slots (B * H, T, M * K) as (B * H, T * M, K)."""
        return tf.ensure_shape(tf.reshape(slots, self.places.shape), (None, None, head_dim))
