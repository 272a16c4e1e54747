"""Sentences that are decided leave the batch: nobody else's translation changes, and less is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
from numpy.typing import NDArray

from core.decoding.rounds import STEPS, SearchResult, first_room
from core.decoding.search import beam_search, greedy_search

START, END, V = 2, 3, 7
SENTENCES, LIMIT = 30, 2 * STEPS + 5


class Scripted(NamedTuple):
    """The state: which sentence each row is, and what was written for it, one column for each position."""

    sentence: tf.Tensor  # (b,)
    written: tf.Tensor  # (b, M, T)


def random_logits(seed: int) -> NDArray[np.float32]:
    """Of each next token after the last, (sentence, position, last, next); sentences end at any step or never."""
    random = np.random.default_rng(seed)
    logits = 5 * random.normal(size=(SENTENCES, LIMIT, V, V)).astype(np.float32)
    logits[..., END] += np.linspace(-20, 0, SENTENCES)[random.permutation(SENTENCES), None, None]
    return logits


class Model:
    """A scripted model that counts the rows it computes and refuses a position that it has no room for."""

    def __init__(self, seed: int) -> None:
        self._logits = tf.constant(random_logits(seed))
        self.rows = tf.Variable(0)

    def step(self, ids: tf.Tensor, position: tf.Tensor, state: Scripted) -> tuple[tf.Tensor, Scripted]:
        """Logits that depend on the sentence, the position and the last token written, in the state."""
        batch, beams, room = tf.unstack(tf.shape(state.written))
        self.rows.assign_add(batch)
        with tf.control_dependencies([tf.debugging.assert_less(position, room)]):
            here = tf.range(room) == position
        written = tf.where(here, ids[..., None], state.written)
        last = tf.reduce_max(tf.where(here, written, 0), axis=-1)  # (b, M)
        sentence = tf.repeat(state.sentence[:, None], beams, axis=1)
        place = tf.stack([sentence, tf.fill((batch, beams), position), last], axis=-1)
        return tf.gather_nd(self._logits, place), state._replace(written=written)


def follow(state: Scripted, parent: tf.Tensor, position: tf.Tensor) -> Scripted:
    return state._replace(written=tf.gather(state.written, parent, batch_dims=1))


def keep(state: Scripted, sentences: tf.Tensor, length: tf.Tensor) -> Scripted:
    more = length - tf.shape(state.written)[2]
    written = tf.pad(tf.gather(state.written, sentences), [[0, 0], [0, 0], [0, more]])
    return Scripted(tf.gather(state.sentence, sentences), written)


def searched(
    model: Model,
    beam_size: int,
    limit: int | NDArray[np.int32],
    keep: Callable[..., Any] | None,
    sentences: int = SENTENCES,
) -> tuple[SearchResult, int]:
    """What a search finds, and the rows it computed."""

    @tf.function(
        input_signature=[tf.TensorSpec((None,), tf.int32), tf.TensorSpec(np.shape(limit), tf.int32)],
        autograph=False,
    )
    def search(rows: tf.Tensor, max_length: tf.Tensor) -> SearchResult:
        batch = tf.shape(rows)[0]
        room = max_length if keep is None else first_room(max_length)
        state = Scripted(rows, tf.zeros((batch, beam_size, room), tf.int32))
        if beam_size == 1:
            return greedy_search(model.step, state, batch, max_length, START, END, keep)
        return beam_search(model.step, follow, state, batch, beam_size, max_length, START, END, 0.6, keep)

    model.rows.assign(0)
    found = search(tf.range(sentences), limit)
    return SearchResult(*(part.numpy() for part in found)), int(model.rows)


@pytest.mark.parametrize("limit", [1, STEPS, STEPS + 1, LIMIT])
@pytest.mark.parametrize("beam_size", [1, 3])
def test_who_leaves_changes_nobodys_translation(beam_size: int, limit: int) -> None:
    model = Model(seed=beam_size)
    expected, all_rows = searched(model, beam_size, limit, None)
    found, rows = searched(model, beam_size, limit, keep)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)
    lengths = (found.ids[:, 0] != 0).sum(axis=-1)
    assert len(set(lengths)) > limit // 4  # they do end at different steps
    assert rows < all_rows or limit < LIMIT


@pytest.mark.parametrize("beam_size", [1, 3])
def test_each_sentence_ends_at_its_own_limit(beam_size: int) -> None:
    model = Model(seed=beam_size)
    limits = np.random.default_rng(7).integers(1, LIMIT + 1, SENTENCES).astype(np.int32)
    found, _ = searched(model, beam_size, limits, keep)
    assert found.ids.shape[2] == limits.max()
    for limit in set(limits.tolist()):
        expected, _ = searched(model, beam_size, limit, None)
        for one, other in zip(found, expected, strict=True):
            mine = one[limits == limit]
            if one is found.ids:
                assert not mine[..., limit:].any()
                mine = mine[..., :limit]
            assert np.array_equal(mine, other[limits == limit])
    assert set(found.finished.ravel().tolist()) == {False, True}


def test_hardly_a_greedy_row_is_computed_after_its_end() -> None:
    """A round ends when an eighth is decided, or after eight steps."""
    found, rows = searched(Model(seed=5), 1, LIMIT, keep)
    tokens = int((found.ids != 0).sum())
    assert tokens < rows < 1.15 * tokens


@pytest.mark.parametrize("beam_size", [1, 3])
def test_no_sentence_has_no_translation(beam_size: int) -> None:
    found, rows = searched(Model(seed=0), beam_size, LIMIT, keep, sentences=0)
    assert found.ids.shape == (0, beam_size, LIMIT)
    assert rows == 0
