"""Search over scripted models: every probability is written out, so every result can be had by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.decoding.rounds import SearchResult
from core.decoding.search import StepFunction, beam_search, greedy_search, length_penalty

PAD, UNKNOWN, START, END, A, B = range(6)
V = 6
Table = dict[tuple[int, ...], dict[int, float]]
"""P(next token | tokens so far); after a beginning that is not listed, the end is certain."""

BEAM_WINS: Table = {
    (): {A: 0.55, B: 0.45},
    (A,): {END: 0.4, A: 0.3, B: 0.3},  # greedy falls for A: 0.55 * 0.4 = 0.22
    (B,): {END: 0.9, A: 0.1},  # 0.45 * 0.9 = 0.405
}
LENGTH_DECIDES: Table = {
    (): {A: 0.5, B: 0.5},
    (A,): {END: 0.96, A: 0.04},  # 0.48 with two tokens
    (B,): {B: 0.95, END: 0.05},
    (B, B): {A: 0.96, END: 0.04},
    (B, B, A): {END: 1.0},  # 0.5 * 0.95 * 0.96 = 0.456 with four tokens
}


def scripted(tables: list[Table], beam_size: int, max_length: int) -> tuple[StepFunction, NDArray[np.int32]]:
    """A step function and its state (B, M): the tokens each beam has read, as one number in base V."""
    probabilities = np.zeros((len(tables), V**max_length, V))
    probabilities[..., END] = 1.0
    for sentence, table in enumerate(tables):
        for prefix, choices in table.items():
            key = 0
            for token in prefix:
                key = key * V + token
            probabilities[sentence, key] = [choices.get(token, 0.0) for token in range(V)]
    logits = tf.constant(
        np.where(probabilities > 0, np.log(np.maximum(probabilities, 1e-300)), -1e9), tf.float32
    )

    def step(ids: tf.Tensor, position: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        read = tf.where(position == 0, 0, state * V + ids)  # the first id read is start
        return tf.gather(logits, read, batch_dims=1), read

    return step, np.zeros((len(tables), beam_size), np.int32)


def follow(state: Any, parent: tf.Tensor, position: tf.Tensor) -> Any:
    """Each beam has its parent's state."""
    return tf.nest.map_structure(lambda part: tf.gather(part, parent, batch_dims=1), state)


def greedy(tables: list[Table], max_length: int = 5) -> SearchResult:
    step, state = scripted(tables, 1, max_length)

    @tf.function(autograph=False)
    def run() -> SearchResult:
        return greedy_search(step, state, len(tables), max_length, START, END)

    return SearchResult(*(part.numpy() for part in run()))


def beam(tables: list[Table], beam_size: int, alpha: float = 0.0, max_length: int = 5) -> SearchResult:
    step, state = scripted(tables, beam_size, max_length)

    @tf.function(autograph=False)
    def run() -> SearchResult:
        return beam_search(step, follow, state, len(tables), beam_size, max_length, START, END, alpha)

    return SearchResult(*(part.numpy() for part in run()))


def words(ids: NDArray[np.int32]) -> list[int]:
    return [int(i) for i in ids if i != PAD]


def test_greedy_takes_the_likeliest_token_and_beam_the_likelier_sentence() -> None:
    found = greedy([BEAM_WINS])
    assert words(found.ids[0, 0]) == [A, END]
    assert math.exp(found.log_probability[0, 0]) == pytest.approx(0.22)
    assert found.finished[0, 0]
    assert found.score[0, 0] == found.log_probability[0, 0]

    better = beam([BEAM_WINS], 2)
    assert words(better.ids[0, 0]) == [B, END]
    assert math.exp(better.log_probability[0, 0]) == pytest.approx(0.405)


def test_n_best_are_the_n_likeliest_and_distinct() -> None:
    # By hand: B END 0.405; A END 0.22; A A END and A B END 0.165 each; B A END 0.045.
    found = beam([BEAM_WINS], 4)
    assert np.exp(found.log_probability[0]) == pytest.approx([0.405, 0.22, 0.165, 0.165])
    sentences = [tuple(words(ids)) for ids in found.ids[0]]
    assert sentences[:2] == [(B, END), (A, END)]
    assert set(sentences[2:]) == {(A, A, END), (A, B, END)}
    assert found.finished.all()


def test_the_length_penalty_changes_the_winner() -> None:
    short, long = beam([LENGTH_DECIDES], 2, alpha=0.0), beam([LENGTH_DECIDES], 2, alpha=1.0)
    assert words(short.ids[0, 0]) == [A, END]
    assert words(long.ids[0, 0]) == [B, B, A, END]
    # By hand: ln(0.48) / (7 / 6) = -0.629 and ln(0.456) / (9 / 6) = -0.524.
    assert long.score[0] == pytest.approx([math.log(0.456) / 1.5, math.log(0.48) * 6 / 7], rel=1e-5)
    assert np.exp(long.log_probability[0]) == pytest.approx([0.456, 0.48], rel=1e-5)


def test_known_length_penalties() -> None:
    # Wu et al. 2016, equation (14), by hand: (5 + 7) / 6 = 2, so 2^alpha; one token is never penalised.
    assert float(length_penalty(tf.constant(7), 0.6)) == pytest.approx(2**0.6)
    assert float(length_penalty(tf.constant(7), 1.0)) == pytest.approx(2.0)
    assert float(length_penalty(tf.constant(1), 5.0)) == pytest.approx(1.0)
    assert float(length_penalty(tf.constant(30), 0.0)) == 1.0


@pytest.mark.parametrize("beam_size", [1, 2, 3])
def test_sentences_that_do_not_end_are_flagged(beam_size: int) -> None:
    endless: Table = {(A,) * n: {A: 0.9, B: 0.1} for n in range(4)}
    endless |= {(*[A] * n, B): {B: 1.0} for n in range(3)} | {(*[A] * n, B, B): {B: 1.0} for n in range(2)}
    endless |= {(B, B, B): {B: 1.0}}
    found = greedy([endless], 3) if beam_size == 1 else beam([endless], beam_size, max_length=3)
    assert not found.finished[0, 0]
    assert words(found.ids[0, 0]) == [A, A, A]
    assert math.exp(found.log_probability[0, 0]) == pytest.approx(0.9**3)


def test_an_ended_sentence_comes_before_a_likelier_one_that_was_cut_off() -> None:
    table: Table = {(): {A: 0.9, END: 0.1}, (A,): {A: 1.0}, (A, A): {A: 1.0}}
    found = beam([table], 2, max_length=3)
    assert [words(ids) for ids in found.ids[0]] == [[END], [A, A, A]]
    assert found.finished[0].tolist() == [True, False]
    assert np.exp(found.log_probability[0]) == pytest.approx([0.1, 0.9])


def test_pad_and_start_are_never_chosen_and_nothing_is_renormalised() -> None:
    table: Table = {(): {PAD: 0.4, START: 0.3, A: 0.2, END: 0.1}}
    for found in (greedy([table]), beam([table], 2)):
        assert words(found.ids[0, 0]) == [A, END]
        assert math.exp(found.log_probability[0, 0]) == pytest.approx(0.2)


def random_table(random: np.random.Generator, sharpness: float, max_length: int) -> Table:
    """Every beginning up to the limit has a distribution of its own."""
    table: Table = {}
    beginnings: list[tuple[int, ...]] = [()]
    while beginnings:
        prefix = beginnings.pop()
        shares = random.dirichlet(np.full(4, sharpness))
        table[prefix] = dict(zip((UNKNOWN, END, A, B), shares, strict=True))
        if len(prefix) < max_length - 1:
            beginnings += [(*prefix, token) for token in (UNKNOWN, A, B)]
    return table


@st.composite
def random_tables(draw: st.DrawFn, max_length: int) -> Table:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_table(random, draw(st.sampled_from([0.3, 1.0, 5.0])), max_length)


@pytest.mark.slow
def test_sentences_of_a_batch_do_not_mix() -> None:
    random = np.random.default_rng(0)
    tables = [BEAM_WINS, LENGTH_DECIDES, *(random_table(random, 1.0, 4) for _ in range(4))]
    for found, alone in (
        (greedy(tables, 4), [greedy([table], 4) for table in tables]),
        (beam(tables, 3, 0.6, 4), [beam([table], 3, 0.6, 4) for table in tables]),
    ):
        for row, single in enumerate(alone):
            for part, expected in zip(found, single, strict=True):
                assert np.allclose(part[row], expected[0], rtol=1e-6)


def sentences_of(table: Table, max_length: int) -> dict[tuple[int, ...], float]:
    """Every ended sentence within the limit, with its probability."""
    found: dict[tuple[int, ...], float] = {}
    beginnings: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(max_length):
        longer: dict[tuple[int, ...], float] = {}
        for prefix, probability in beginnings.items():
            found[(*prefix, END)] = probability * table[prefix][END]
            for token in (UNKNOWN, A, B):
                longer[(*prefix, token)] = probability * table[prefix][token]
        beginnings = longer
    return found


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(table=random_tables(4), alpha=st.sampled_from([0.0, 0.6, 2.0]))
def test_a_beam_wider_than_the_tree_finds_all_sentences_in_their_order(table: Table, alpha: float) -> None:
    """Against every sentence there is: 1 + 3 + 9 + 27, with room for all 108 continuations at the end."""
    found = beam([table], 54, alpha, max_length=4)
    assert found.finished[0].tolist() == [True] * 40 + [False] * 14

    def score(sentence: tuple[int, ...], probability: float) -> float:
        return math.log(max(probability, 1e-300)) / ((5 + len(sentence)) / 6) ** alpha

    every = sorted((score(*item) for item in sentences_of(table, 4).items()), reverse=True)
    assert found.score[0, :40] == pytest.approx(every, rel=1e-4, abs=1e-5)
    probabilities = sentences_of(table, 4)
    for ids, log_probability in zip(found.ids[0, :40], found.log_probability[0, :40], strict=True):
        assert math.log(probabilities[tuple(words(ids))]) == pytest.approx(
            log_probability, rel=1e-4, abs=1e-5
        )


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(table=random_tables(4), beam_size=st.sampled_from([2, 3]), alpha=st.sampled_from([0.0, 0.6]))
def test_beams_are_distinct_sorted_and_rightly_scored(table: Table, beam_size: int, alpha: float) -> None:
    found = beam([table], beam_size, alpha, max_length=4)
    finished = found.finished[0]
    assert (np.diff(found.score[0][finished]) <= 0).all() and (np.diff(found.score[0][~finished]) <= 0).all()
    assert (np.diff(finished.astype(int)) <= 0).all()  # the ended ones first
    assert len({tuple(ids) for ids in found.ids[0]}) == beam_size
    for ids, logp, score in zip(found.ids[0], found.log_probability[0], found.score[0], strict=True):
        sentence = words(ids)
        expected = sum(math.log(table[tuple(sentence[:t])][token]) for t, token in enumerate(sentence))
        assert logp == pytest.approx(expected, rel=1e-4, abs=1e-5)
        assert score == pytest.approx(expected / ((5 + len(sentence)) / 6) ** alpha, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 5.0])
def test_fewer_sentences_than_beams(alpha: float) -> None:
    """Three sentences are possible; what fills the other beams is marked as neither likely nor finished."""
    table: Table = {(): {END: 0.5, A: 0.3, B: 0.2}, (A,): {A: 1.0}, (B,): {A: 1.0}}
    table |= {(A, A): {A: 1.0}, (B, A): {A: 1.0}, (A, A, A): {END: 1.0}, (B, A, A): {END: 1.0}}
    found = beam([table], 6, alpha, max_length=4)
    assert found.finished[0].tolist() == [True] * 3 + [False] * 3
    assert {tuple(words(ids)) for ids in found.ids[0, :3]} == {(END,), (A, A, A, END), (B, A, A, END)}
    assert (found.log_probability[0, 3:] < -1e8).all()


def test_a_model_of_numbers_alone_is_not_needed() -> None:
    """The state may be any nest of tensors that the follow function knows."""

    def step(ids: tf.Tensor, position: tf.Tensor, state: dict[str, Any]) -> tuple[tf.Tensor, dict[str, Any]]:
        # The model may say A until it has said it twice; then only the end.
        said = state["said"] + tf.cast(ids == A, tf.int32)
        logits = tf.where(
            said[..., None] < 2, [[0.0, 0.0, 0.0, -9.0, 5.0, 4.0]], [[0.0, 0.0, 0.0, 9.0, 0.0, 0.0]]
        )
        return logits, {"said": said, "list": [state["list"][0] + 1]}

    state = {"said": tf.zeros((1, 2), tf.int32), "list": [tf.zeros((1, 2, 3))]}
    found = beam_search(step, follow, state, 1, 2, 8, START, END, 0.0)
    for ids in found.ids.numpy()[0]:
        assert words(ids).count(A) == 2 and words(ids)[-2:] == [A, END]
