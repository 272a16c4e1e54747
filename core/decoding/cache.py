"""The key/value cache of beam search: what was computed for earlier tokens, and which beam may use it."""

from __future__ import annotations

from typing import NamedTuple, Self

import tensorflow as tf

from core.config import ModelConfig
from core.model.attention import KeysValues
from core.model.tensor import Tensor


class BeamCache(NamedTuple):
    """Keys and values of M beams for each of B sentences, in the slots where they were computed.

    Beams fork and die at each step. Their keys and values, tens of megabytes, are never moved; a small table
    follows the beams instead and says which slots belong to their ancestors.
    """

    layers: list[KeysValues]  # one a layer, of T * M slots; slot t * M + m is beam m's at position t
    ancestors: Tensor  # (B, M, T): which of the M slots of each position holds a beam's past

    @classmethod
    def empty(
        cls, config: ModelConfig, batch_size: Tensor | int, beam_size: int, max_length: Tensor | int
    ) -> Self:
        """Room for `max_length` target tokens."""
        heads, slots = batch_size * config.num_heads, max_length * beam_size
        keys = tf.zeros((heads, config.head_dim, slots))
        values = tf.zeros((heads, slots, config.head_dim))
        return cls(
            layers=[KeysValues(keys, values) for _ in range(config.num_layers)],
            ancestors=tf.zeros((batch_size, 1, max_length), tf.int32) + tf.range(beam_size)[:, None],
        )

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
