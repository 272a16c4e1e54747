"""Search over scripted models: every probability is written out, so every result can be had by hand."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config import MAX_SAMPLES, DecodingConfig
from core.inference.search import (
    SearchResult,
    Step,
    beam_search,
    filtered_probabilities,
    greedy_search,
    run,
    search_with,
)

PAD, UNKNOWN, START, END, A, B = range(6)
V = 6
Table = dict[tuple[int, ...], dict[int, float]]
"""P(next token | tokens so far); after a prefix that is not listed, the end is certain."""

BEAM_WINS: Table = {
    (): {A: 0.55, B: 0.45},
    (A,): {END: 0.4, A: 0.3, B: 0.3},  # greedy falls for A: 0.55 * 0.4 = 0.22
    (B,): {END: 0.9, A: 0.1},  # 0.45 * 0.9 = 0.405
}
# Its sentences; those of two words are followed by a certain end.
SENTENCES: dict[tuple[int, ...], float] = {
    (A, END): 0.22,
    (A, A, END): 0.165,
    (A, B, END): 0.165,
    (B, END): 0.405,
    (B, A, END): 0.045,
}
LENGTH_DECIDES: Table = {
    (): {A: 0.5, B: 0.5},
    (A,): {END: 0.96, A: 0.04},  # 0.48 with two tokens
    (B,): {B: 0.95, END: 0.05},
    (B, B): {A: 0.96, END: 0.04},
    (B, B, A): {END: 1.0},  # 0.5 * 0.95 * 0.96 = 0.456 with four tokens
}


class Scripted:
    """A decoder of one sentence that knows what each hypothesis has read, and looks its next token up in a table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._read: list[tuple[int, ...]] = []

    def step(self, ids: np.ndarray) -> np.ndarray:
        if not self._read:  # the first id read is start
            self._read = [()] * ids.shape[1]
        else:
            self._read = [(*prefix, int(token)) for prefix, token in zip(self._read, ids[0], strict=True)]
        logits = np.full((*ids.shape, V), -1e9, np.float32)
        for beam, prefix in enumerate(self._read):
            for token, probability in self._table.get(prefix, {END: 1.0}).items():
                logits[0, beam, token] = 3.0 + math.log(max(probability, 1e-300))  # not normalized
        return logits

    def reorder(self, parents: np.ndarray) -> None:
        self._read = [self._read[parent] for parent in parents[0]]

    def keep(self, order: np.ndarray) -> None:
        raise AssertionError("the one sentence has ended")


def beams(beam_size: int, length_penalty: float = 0.0) -> DecodingConfig:
    decoding = DecodingConfig(length_penalty=length_penalty)
    object.__setattr__(decoding, "beam_size", beam_size)  # perhaps wider than anybody may choose
    return decoding


def greedy(table: Table, max_length: int = 5, prefix: Sequence[int] = ()) -> SearchResult:
    return run(search_with(Scripted(table), [max_length], DecodingConfig(), prefix))


def beam(
    table: Table, beam_size: int, alpha: float = 0.0, max_length: int = 5, prefix: Sequence[int] = ()
) -> SearchResult:
    return run(beam_search(Scripted(table), [max_length], beams(beam_size, alpha), prefix))


def words(ids: np.ndarray) -> list[int]:
    return [int(i) for i in ids if i != PAD]


def test_greedy_takes_the_likeliest_token_and_beam_the_likelier_sentence() -> None:
    found = greedy(BEAM_WINS)
    assert words(found.ids[0, 0]) == [A, END]
    assert math.exp(found.log_probability[0, 0]) == pytest.approx(0.22)
    assert found.finished[0, 0]
    better = beam(BEAM_WINS, 2)
    assert words(better.ids[0, 0]) == [B, END]
    assert math.exp(better.log_probability[0, 0]) == pytest.approx(0.405)


def test_the_length_penalty_changes_the_winner() -> None:
    short, long = beam(LENGTH_DECIDES, 2, alpha=0.0), beam(LENGTH_DECIDES, 2, alpha=1.0)
    assert words(short.ids[0, 0]) == [A, END]
    assert words(long.ids[0, 0]) == [B, B, A, END]
    # By hand: ln(0.48) / (7 / 6) = -0.629 and ln(0.456) / (9 / 6) = -0.524.
    assert long.score[0] == pytest.approx([math.log(0.456) / 1.5, math.log(0.48) * 6 / 7], rel=1e-5)


def test_a_finished_sentence_comes_before_a_likelier_one_that_was_cut_off() -> None:
    table: Table = {(): {A: 0.9, END: 0.1}, (A,): {A: 1.0}, (A, A): {A: 1.0}}
    cut_off = greedy(table, 3)
    assert (words(cut_off.ids[0, 0]), cut_off.finished[0, 0]) == ([A, A, A], False)
    found = beam(table, 2, max_length=3)
    assert [words(ids) for ids in found.ids[0]] == [[END], [A, A, A]]
    assert found.finished[0].tolist() == [True, False]


class Endless:
    """A decoder of sentences that never end."""

    def step(self, ids: np.ndarray) -> np.ndarray:
        logits = np.full((*ids.shape, V), -1e9, np.float32)
        logits[..., [A, B]] = 1.0, 0.0
        return logits

    def reorder(self, parents: np.ndarray) -> None:
        pass

    def keep(self, order: np.ndarray) -> None:
        pass


@pytest.mark.parametrize("decoding", [DecodingConfig(), beams(2), DecodingConfig(samples=2)])
def test_each_sentence_of_a_batch_is_cut_off_at_its_own_limit(decoding: DecodingConfig) -> None:
    limits = [2, 5, 1, 3]
    found = run(search_with(Endless(), limits, decoding))
    assert [len(words(ids)) for ids in found.ids[:, 0]] == limits


def test_pad_and_start_are_never_chosen_and_nothing_is_renormalized() -> None:
    table: Table = {(): {PAD: 0.4, START: 0.3, A: 0.2, END: 0.1}}
    for found in (greedy(table), beam(table, 2)):
        assert words(found.ids[0, 0]) == [A, END]
        assert math.exp(found.log_probability[0, 0]) == pytest.approx(0.2)


def random_table(random: np.random.Generator, sharpness: float, max_length: int) -> Table:
    """Every prefix up to the limit has a distribution of its own."""
    table: Table = {}
    prefixes: list[tuple[int, ...]] = [()]
    while prefixes:
        prefix = prefixes.pop()
        shares = random.dirichlet(np.full(4, sharpness))
        table[prefix] = dict(zip((UNKNOWN, END, A, B), shares, strict=True))
        if len(prefix) < max_length - 1:
            prefixes += [(*prefix, token) for token in (UNKNOWN, A, B)]
    return table


def sentences_of(table: Table, max_length: int) -> dict[tuple[int, ...], float]:
    """Every finished sentence within the limit, with its probability."""
    beginnings = [each for length in range(max_length) for each in product((UNKNOWN, A, B), repeat=length)]
    return {
        (*each, END): math.prod(table[each[:n]][token] for n, token in enumerate((*each, END)))
        for each in beginnings
    }


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.0, 5.0]), st.sampled_from([0.0, 0.6, 2.0]))
def test_a_beam_wider_than_the_tree_is_an_exhaustive_search(
    seed: int, sharpness: float, alpha: float
) -> None:
    """Against every sentence there is: 1 + 3 + 9 + 27, with room for all 108 continuations at the end."""
    table = random_table(np.random.default_rng(seed), sharpness, 4)
    found = beam(table, 54, alpha, max_length=4)
    assert found.finished[0].tolist() == [True] * 40 + [False] * 14

    def score(sentence: tuple[int, ...], probability: float) -> float:
        return math.log(max(probability, 1e-300)) / ((5 + len(sentence)) / 6) ** alpha

    probabilities = sentences_of(table, 4)
    every = sorted((score(*item) for item in probabilities.items()), reverse=True)
    assert found.score[0, :40] == pytest.approx(every, rel=1e-4, abs=1e-5)
    for ids, log_probability in zip(found.ids[0, :40], found.log_probability[0, :40], strict=True):
        expected = math.log(probabilities[tuple(words(ids))])
        assert expected == pytest.approx(log_probability, rel=1e-4, abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from([0.0, 0.6, 2.0]))
def test_beam_search_ends_when_no_next_end_would_be_better_and_not_before(
    seed: int, beam_size: int, alpha: float
) -> None:
    most = 6
    table = random_table(np.random.default_rng(seed), 1.0, most)
    steps: list[Step] = []
    run(beam_search(Scripted(table), [most], beams(beam_size, alpha)), steps.append)
    scores = [-math.inf] * beam_size  # of all sentences that have ended
    for length, step in enumerate(steps, start=1):
        candidates = list(zip(step.token[0], step.log_probability[0], strict=True))
        scores += [float(log_p) / ((5 + length) / 6) ** alpha for token, log_p in candidates if token == END]
        likeliest = max(float(log_p) for token, log_p in candidates if token != END)
        worst_kept = sorted(scores, reverse=True)[beam_size - 1]
        is_better = likeliest / ((5 + length + 1) / 6) ** alpha > worst_kept
        assert is_better == (length < len(steps)) or length == most


def test_fewer_sentences_than_beams() -> None:
    """Three sentences are possible; what fills the other beams is marked as neither likely nor finished."""
    table: Table = {(): {END: 0.5, A: 0.3, B: 0.2}, (A,): {A: 1.0}, (B,): {A: 1.0}}
    table |= {(A, A): {A: 1.0}, (B, A): {A: 1.0}, (A, A, A): {END: 1.0}, (B, A, A): {END: 1.0}}
    found = beam(table, 6, alpha=5.0, max_length=4)
    assert found.finished[0].tolist() == [True] * 3 + [False] * 3
    assert {tuple(words(ids)) for ids in found.ids[0, :3]} == {(END,), (A, A, A, END), (B, A, A, END)}
    assert (found.log_probability[0, 3:] < -1e8).all()


def test_a_prefix_is_written_and_counts() -> None:
    for found in (
        greedy(BEAM_WINS, prefix=(B, A)),
        beam(BEAM_WINS, 2, prefix=(B, A)),
        run(greedy_search(Scripted(BEAM_WINS), [5], DecodingConfig(samples=2, temperature=0.0), (B, A))),
    ):
        assert words(found.ids[0, 0]) == [B, A, END]
        assert math.exp(found.log_probability[0, 0]) == pytest.approx(0.045)


def test_whole_sentences_are_drawn_as_often_as_they_are_likely() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    for seed in range(125):  # 2,000 samples
        how = DecodingConfig(samples=MAX_SAMPLES, seed=seed)
        found = run(greedy_search(Scripted(BEAM_WINS), [5], how))
        counts.update(tuple(words(ids)) for ids in found.ids[0])
    assert counts.keys() == SENTENCES.keys()
    chi_square = sum((counts[key] - 2000 * p) ** 2 / (2000 * p) for key, p in SENTENCES.items())
    assert chi_square < 18.47  # 4 degrees of freedom, p = 0.001


def test_a_sample_that_has_ended_is_as_likely_as_it_was_while_others_go_on() -> None:
    after_the_end: Table = {(first, END): {A: 0.5, B: 0.5} for first in (A, B)}
    how = DecodingConfig(samples=MAX_SAMPLES)
    found = run(greedy_search(Scripted(BEAM_WINS | after_the_end), [5], how))
    drawn = [tuple(words(ids)) for ids in found.ids[0]]
    assert {len(ids) for ids in drawn} == {2, 3}
    likely = [math.log(SENTENCES[ids]) for ids in drawn]
    assert found.log_probability[0] == pytest.approx(likely, abs=1e-5)


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p", "expected"),
    [  # by hand, of 0.4, 0.3, 0.2, 0.1
        (1.0, 0, 1.0, [0.4, 0.3, 0.2, 0.1]),
        (0.5, 0, 1.0, [16 / 30, 9 / 30, 4 / 30, 1 / 30]),
        (1.0, 2, 1.0, [4 / 7, 3 / 7, 0, 0]),
        (1.0, 0, 0.65, [4 / 7, 3 / 7, 0, 0]),
        (1.0, 0, 0.75, [4 / 9, 3 / 9, 2 / 9, 0]),
        (1.0, 3, 0.75, [4 / 7, 3 / 7, 0, 0]),  # top-p after top-k: 4/9 + 3/9 is 0.78
        (1.0, 0, 0.01, [1, 0, 0, 0]),
        (0.0, 0, 1.0, [1, 0, 0, 0]),
    ],
)
def test_temperature_top_k_and_top_p_by_hand(
    temperature: float, top_k: int, top_p: float, expected: list[float]
) -> None:
    how = DecodingConfig(samples=1, temperature=temperature, top_k=top_k, top_p=top_p)
    kept = filtered_probabilities(np.log([0.4, 0.3, 0.2, 0.1]), how)
    assert kept / kept.sum() == pytest.approx(expected, abs=1e-6)
