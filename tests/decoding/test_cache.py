"""Beams that fork and die: what each may look at must be its own past, wherever that stands."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig
from core.decoding.cache import BeamCache
from core.decoding.row_cache import SlotRows
from core.presets import CLASSROOM
from tests.conftest import TINY


@pytest.mark.parametrize("config", [CLASSROOM.model, TINY])
def test_there_is_room_for_every_layer_head_position_and_beam(config: ModelConfig) -> None:
    cache = BeamCache.empty(config, 3, 2, 7)
    heads, width = config.num_heads, config.d_model // config.num_heads
    assert len(cache.layers) == config.num_layers
    for keys, values in cache.layers:
        assert keys.shape == (3 * heads, width, 14) and values.shape == (3 * heads, 14, width)
        assert not np.any(keys) and not np.any(values)


def test_where_lengths_are_not_known_beams_lie_side_by_side() -> None:
    cache = BeamCache.empty(TINY, 3, 2, tf.constant(7))
    width = TINY.d_model // TINY.num_heads
    for rows in cache.layers:
        assert isinstance(rows, SlotRows)
        assert rows.keys.shape == rows.values.shape == (3 * TINY.num_heads, 7, 2 * width)


def test_one_beam_sees_everything_so_far() -> None:
    cache = BeamCache.empty(TINY, 2, 1, 4)
    assert cache.seen(tf.constant(2)).numpy()[:, 0, 0].tolist() == [[True, True, True, False]] * 2


@pytest.mark.slow
@given(st.data())
def test_every_beam_sees_its_own_slot_and_those_of_its_ancestors(data: st.DataObject) -> None:
    sentences, beams, length = (data.draw(st.integers(1, most)) for most in (3, 4, 5))
    cache = BeamCache.empty(TINY, sentences, beams, length)
    pasts: list[list[set[int]]] = [[set() for _ in range(beams)] for _ in range(sentences)]
    for position in range(length):
        pasts = [[past | {position * beams + m} for m, past in enumerate(row)] for row in pasts]
        seen = cache.seen(tf.constant(position)).numpy()[:, 0]
        assert [[set(np.flatnonzero(beam)) for beam in row] for row in seen] == pasts
        slots = st.lists(st.integers(0, beams - 1), min_size=beams, max_size=beams)
        parent = [data.draw(slots) for _ in range(sentences)]
        cache = cache.follow(tf.constant(parent), tf.constant(position))
        pasts = [[row[m] for m in chosen] for row, chosen in zip(pasts, parent, strict=True)]
