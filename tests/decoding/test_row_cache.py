from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from core.decoding.row_cache import Places, RowCache, SlotRows
from core.model.attention import SelfAttention, look_ahead_mask
from tests.model.test_attention import B, D, H, T, random, randomise


def test_a_cached_row_equals_the_same_row_of_the_whole() -> None:
    """In a graph that knows no number of sentences or slots; no slot but the new one changes."""
    layer = SelfAttention(D, H)
    layer.build((None, None, D))
    randomise(layer)
    x = random(B, T, D)
    whole, weights, keys_values = layer(x, look_ahead_mask(T))
    keys, values = tf.transpose(keys_values.keys, (0, 2, 1)), keys_values.values

    def step(row: tf.Tensor, seen: tf.Tensor, slots: SlotRows, position: tf.Tensor) -> tuple[Any, ...]:
        return layer(row, seen, cache=RowCache(slots, Places.at(position, slots, 1)))

    slots = tf.TensorSpec((None, None, D // H))
    signature = [
        tf.TensorSpec((None, 1, D)),
        tf.TensorSpec((1, 1, 1, None), tf.bool),
        SlotRows(slots, slots),
        tf.TensorSpec((), tf.int32),
    ]
    graph = tf.function(step, input_signature=signature, autograph=False)
    for position in range(T):
        behind = (np.arange(T) < position)[:, None]
        before = SlotRows(tf.where(behind, keys, 0.0), tf.where(behind, values, 0.0))
        seen = (np.arange(T) <= position)[None, None, None]
        row, row_weights, filled = graph(x[:, position : position + 1], seen, before, position)
        assert np.allclose(row[:, 0], whole[:, position], atol=1e-5)
        assert np.allclose(row_weights[:, :, 0], weights[:, :, position], atol=1e-6)
        known = (np.arange(T) <= position)[:, None]
        assert np.allclose(filled.keys, np.where(known, keys, 0), atol=1e-5)
        assert np.allclose(filled.values, np.where(known, values, 0), atol=1e-5)
        assert np.array_equal(before.keys, tf.where(behind, keys, 0.0))  # what it was given stays as it is
