from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from core.decoding.row_cache import Places, RowCache, SlotRows
from core.model.attention import KeysValues, SelfAttention, look_ahead_mask
from core.model.cached_attention import GrowingCache
from tests.model.test_attention import B, D, H, T, random, randomise


def test_a_row_of_slots_equals_the_same_row_of_the_whole() -> None:
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


@pytest.mark.parametrize("beams", [1, 3])
def test_it_is_the_growing_cache_in_another_layout(beams: int) -> None:
    """Slot t * M + m is beam m's at position t, in both."""
    rows = tf.zeros((B * H, T, beams * D // H))
    by_row = SlotRows(rows, rows)
    growing = KeysValues(tf.zeros((B * H, D // H, T * beams)), tf.zeros((B * H, T * beams, D // H)))
    for position in map(tf.constant, range(T)):
        queries, keys, values = (tf.constant(random(B, H, beams, D // H)) for _ in range(3))
        seen = tf.random.uniform((B, 1, beams, T * beams)) < 0.7
        seen &= tf.range(T * beams) < (position + 1) * beams
        one = RowCache(by_row, Places.at(position, by_row, beams)).attend(queries, keys, values, seen)
        other = GrowingCache(growing, position * beams).attend(queries, keys, values, seen)
        assert np.allclose(one[0], other[0], atol=1e-5) and np.allclose(one[1], other[1], atol=1e-6)
        by_row, growing = one[2], other[2]
    slots = tf.reshape(by_row.values, growing.values.shape)
    assert np.array_equal(slots, growing.values)
    assert np.array_equal(tf.reshape(by_row.keys, slots.shape), tf.transpose(growing.keys, (0, 2, 1)))
