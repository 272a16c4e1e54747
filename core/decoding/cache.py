"""The key/value cache of beam search: what was computed for earlier tokens, and which beam may use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self, cast

import tensorflow as tf

from core.config import ModelConfig
from core.decoding.row_cache import Places, RowCache, SlotRows
from core.model.attention import Cache, KeysValues
from core.model.cached_attention import GrowingCache
from core.model.tensor import Tensor


class BeamCache(NamedTuple):
    """Keys and values of M beams for each of B sentences, in the slots where they were computed.

    Beams fork and die at each step. Their keys and values, tens of megabytes, stay where they are; a small table
    follows the beams instead and says which slots belong to their ancestors.
    """

    # One a layer, of T * M slots; slot t * M + m is beam m's at position t
    layers: list[KeysValues] | list[SlotRows]
    ancestors: Tensor  # (B, M, T): which of the M slots of each position holds a beam's past

    @classmethod
    def empty(
        cls, config: ModelConfig, batch_size: Tensor | int, beam_size: int, max_length: Tensor | int
    ) -> Self:
        """Room for `max_length` target tokens, a known number (which XLA needs) or one that only the run will tell."""
        heads, head_dim = batch_size * config.num_heads, config.head_dim
        if isinstance(max_length, int):
            slots = max_length * beam_size
            layer: Any = KeysValues(tf.zeros((heads, head_dim, slots)), tf.zeros((heads, slots, head_dim)))
        else:
            rows = tf.zeros((heads, max_length, beam_size * head_dim))
            layer = SlotRows(rows, rows)
        return cls(
            layers=[layer] * config.num_layers,
            ancestors=tf.zeros((batch_size, 1, max_length), tf.int32) + tf.range(beam_size)[:, None],
        )

    def kept(self, sentences: Tensor, length: Tensor) -> Self:
        """Of these sentences (b,) alone, with room for `length` target tokens, which are not fewer.

        Only for `SlotRows`.
        """
        batch_size, beam_size, before = tf.unstack(tf.shape(self.ancestors))
        more = length - before

        def keep(rows: Tensor) -> Tensor:
            kept = kept_heads(rows, batch_size, sentences)
            return tf.pad(kept, [[0, 0], [0, more], [0, 0]])

        ancestors = tf.gather(self.ancestors, sentences)
        own = tf.zeros((tf.shape(sentences)[0], 1, more), tf.int32) + tf.range(beam_size)[:, None]
        return type(self)(
            layers=[SlotRows(*map(keep, layer)) for layer in self.layers],
            ancestors=tf.concat([ancestors, own], axis=2),
        )

    def at(self, position: Tensor) -> Sequence[Cache]:
        """Each layer's, to be filled at `position` by all beams, whose number the graph knows."""
        beam_size, first = self.ancestors.shape[1], self.layers[0]
        if isinstance(first, SlotRows):
            places = Places.at(position, first, beam_size)
            return [RowCache(rows, places) for rows in cast(list[SlotRows], self.layers)]
        # Keras takes no bare number inside an argument of tensors.
        first_slot = tf.convert_to_tensor(position) * beam_size
        return [GrowingCache(slots, first_slot) for slots in cast(list[KeysValues], self.layers)]

    def seen(self, position: Tensor) -> Tensor:
        """(B, 1, M, T * M): True on a beam's own slot at `position` and on its ancestors' before."""
        batch_size, beam_size, max_length = tf.unstack(tf.shape(self.ancestors))
        own = self.ancestors[..., None] == tf.range(beam_size)  # (B, M, T, M)
        past = (tf.range(max_length) <= position)[:, None]
        return tf.reshape(own & past, (batch_size, 1, beam_size, max_length * beam_size))

    def follow(self, parent: Tensor, position: Tensor) -> Self:
        """After the step at `position`: beam m is now a child of beam `parent[m]`, (B, M)."""
        beam_size, max_length = tf.unstack(tf.shape(self.ancestors))[1:]
        past = tf.range(max_length) <= position
        inherited = tf.gather(self.ancestors, parent, batch_dims=1)
        return self._replace(ancestors=tf.where(past, inherited, tf.range(beam_size)[:, None]))


def kept_heads(rows: Tensor, batch_size: Tensor, sentences: Tensor) -> Tensor:
    """Of all heads' matrices (B * H, …) those of the sentences (b,), (b * H, …)."""
    shape = tf.shape(rows)[1:]
    by_sentence = tf.reshape(rows, tf.concat([[batch_size, -1], shape], axis=0))
    kept = tf.reshape(tf.gather(by_sentence, sentences), tf.concat([[-1], shape], axis=0))
    return tf.ensure_shape(kept, rows.shape)
