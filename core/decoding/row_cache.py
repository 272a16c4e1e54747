"""Keys and values of earlier tokens in graphs without XLA, for any number of sentences and tokens."""

from __future__ import annotations

from typing import NamedTuple, Self

import tensorflow as tf

from core.model.attention import KeysValues, scaled_dot_product_attention
from core.model.tensor import Tensor


class SlotRows(NamedTuple):
    """Keys and values of M beams at each of T positions, side by side; zero where nothing was written yet."""

    keys: Tensor  # (B * H, T, M * K)
    values: Tensor  # (B * H, T, M * K)


class Places(NamedTuple):
    """Where a step writes in the slots of every layer, and how attention reads them."""

    indices: Tensor  # (B * H, 2): each head, and the position
    by_slot: Tensor  # (3,), the shape (B * H, T * M, K)

    @classmethod
    def at(cls, position: Tensor, slots: SlotRows, beam_size: int) -> Self:
        """Those of a position, from the slots of any layer, for M beams."""
        heads, length = tf.unstack(tf.shape(slots.keys)[:2])
        indices = tf.stack([tf.range(heads), tf.fill([heads], position)], axis=1)
        return cls(indices, tf.stack([heads, length * beam_size, slots.keys.shape[2] // beam_size]))


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
        slots = SlotRows(self._written(self.slots.keys, keys), self._written(self.slots.values, values))
        seen_keys, seen_values = (tf.reshape(rows, self.places.by_slot) for rows in slots)
        # TensorFlow's graph optimizer folds this transpose into the product that follows.
        seen = KeysValues(tf.transpose(seen_keys, (0, 2, 1)), seen_values)
        output, weights = scaled_dot_product_attention(queries, seen, mask)
        return output, weights, slots

    def _written(self, slots: Tensor, new: Tensor) -> Tensor:
        """Slots (B * H, T, M * K) with new ones (B, H, M, K)."""
        updates = tf.reshape(new, (-1, slots.shape[2]))
        # Adds to zero in place. tf.tensor_scatter_nd_update copies all slots, a tenth of the time of a step.
        return tf.raw_ops.ScatterNdNonAliasingAdd(input=slots, indices=self.places.indices, updates=updates)
