"""Keys and values of earlier tokens in graphs without XLA, for any number of sentences and tokens."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from core.model.attention import KeysValues, scaled_dot_product_attention
from core.model.tensor import Tensor


class SlotRows(NamedTuple):
    """Keys and values, a row for each of N slots; zero where nothing was written yet."""

    keys: Tensor  # (B * H, N, K)
    values: Tensor  # (B * H, N, K)


class RowCache(NamedTuple):
    """As `core.model.cached_attention.GrowingCache`, where the number of slots is not known.

    It attends to all slots, of which there should not be many more than are filled.
    """

    slots: SlotRows
    first_slot: Tensor  # scalar, where the next M go

    def attend(self, queries: Tensor, new: KeysValues, mask: Tensor) -> tuple[Tensor, Tensor, SlotRows]:
        """Write M new keys and values, then attend; arguments and results as in `GrowingCache.attend`."""
        by_row = SlotRows(tf.transpose(new.keys, (0, 2, 1)), new.values)
        slots = SlotRows(*map(self._with, self.slots, by_row))
        # TensorFlow's graph optimizer folds this transpose into the product that follows.
        seen = KeysValues(tf.transpose(slots.keys, (0, 2, 1)), slots.values)
        output, weights = scaled_dot_product_attention(queries, seen, mask)
        return output, weights, slots

    def _with(self, slots: Tensor, new: Tensor) -> Tensor:
        """Slots (B * H, N, K) with new ones (B * H, M, K)."""
        heads, number = tf.shape(slots)[0], new.shape[1]
        places = tf.meshgrid(tf.range(heads), self.first_slot + tf.range(number), indexing="ij")
        # Adds to zero in place. tf.tensor_scatter_nd_update copies all slots, a tenth of the time of a step.
        return tf.raw_ops.ScatterNdNonAliasingAdd(input=slots, indices=tf.stack(places, axis=-1), updates=new)
