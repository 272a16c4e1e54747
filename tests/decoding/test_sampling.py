"""Sampling over scripted models: every probability is written out, so frequencies can be compared with it."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import tensorflow as tf
from numpy.typing import NDArray

from core.config import MAX_SAMPLES, DecodingConfig
from core.decoding.open_search import compiled_samples, samples
from core.decoding.rounds import SearchResult
from core.decoding.sampling import Sampling, draw, kept_probabilities
from core.decoding.search import sample_search
from core.decoding.translator import Translator
from tests.decoding.test_search import BEAM_WINS, END, START, A, B, Table, greedy, scripted, words

GREEDY = DecodingConfig()
LOGITS = np.log(np.array([1e-9, 1e-9, 1e-9, 0.1, 0.4, 0.2, 0.3], np.float32))


def settings(number: NDArray, temperature: float, top_k: int, top_p: float, seed: int) -> Sampling:
    return Sampling(*map(tf.constant, (number.astype(np.int32), temperature, top_k, top_p, seed)))


def sampled(
    table: Table,
    seeds: int = 1,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    forced: tuple[int, ...] = (),
) -> list[tuple[tuple[int, ...], float]]:
    """All samples of some seeds, with their log probabilities."""
    step, state = scripted([table] * MAX_SAMPLES, 1, 5)
    beginning = tf.constant(np.tile(np.array([forced], np.int32).reshape(1, -1), (MAX_SAMPLES, 1)))

    @tf.function(autograph=False)
    def run(seed: tf.Tensor) -> SearchResult:
        how = settings(np.arange(MAX_SAMPLES), temperature, top_k, top_p, 0)._replace(seed=seed)
        return sample_search(
            step,
            lambda logits, position: draw(logits, position, how, START),
            state,
            beginning,
            5,
            START,
            END,
        )

    found = []
    for seed in range(seeds):
        result = run(tf.constant(seed))
        for ids, logp in zip(result.ids.numpy()[:, 0], result.log_probability.numpy()[:, 0], strict=True):
            found.append((tuple(words(ids)), float(logp)))
    return found


def chi_square(counts: Counter[tuple[int, ...]], probabilities: dict[tuple[int, ...], float]) -> float:
    total = sum(counts.values())
    return sum((counts[key] - total * p) ** 2 / (total * p) for key, p in probabilities.items())


def test_whole_sentences_are_drawn_as_often_as_they_are_likely() -> None:
    found = sampled(BEAM_WINS, seeds=125)  # 2,000 samples
    # B A and A A, A B are followed by a certain end.
    probabilities = {
        (A, END): 0.22,
        (A, A, END): 0.165,
        (A, B, END): 0.165,
        (B, END): 0.405,
        (B, A, END): 0.045,
    }
    counts = Counter(ids for ids, _ in found)
    assert counts.keys() == probabilities.keys()
    assert chi_square(counts, probabilities) < 18.47  # 4 degrees of freedom, p = 0.001
    for ids, logp in found:
        assert logp == pytest.approx(math.log(probabilities[ids]), abs=1e-4)


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
    values = tf.constant(np.sort(LOGITS)[None, :2:-1])
    kept = kept_probabilities(values, settings(np.zeros(1), temperature, top_k, top_p, 0)).numpy()[0]
    assert kept / kept.sum() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("temperature", "top_k", "top_p"), [(0.5, 0, 1.0), (1.0, 3, 1.0), (1.5, 0, 0.8)])
def test_tokens_are_drawn_as_often_as_what_is_kept_says(temperature: float, top_k: int, top_p: float) -> None:
    @tf.function(autograph=False)
    def drawn(seed: tf.Tensor) -> tf.Tensor:
        how = settings(np.arange(MAX_SAMPLES), temperature, top_k, top_p, 0)._replace(seed=seed)
        logits = tf.tile(tf.constant(LOGITS)[None], (MAX_SAMPLES, 1))
        return draw(logits, tf.constant(3), how, START)

    counts: Counter[tuple[int, ...]] = Counter(
        (int(token),) for seed in range(125) for token in drawn(tf.constant(seed)).numpy()
    )
    order = np.argsort(-LOGITS)[:4]
    kept = kept_probabilities(
        tf.constant(LOGITS[order][None]), settings(np.zeros(1), temperature, top_k, top_p, 0)
    ).numpy()[0]
    probabilities: dict[tuple[int, ...], float] = {
        (int(token),): float(p / kept.sum()) for token, p in zip(order, kept, strict=True) if p > 0
    }
    assert counts.keys() == probabilities.keys()
    assert chi_square(counts, probabilities) < 16.27  # 3 degrees of freedom, p = 0.001


@pytest.mark.parametrize(
    "change",
    [{"temperature": 0.0}, {"temperature": 1e-9}, {"temperature": 1e-3}, {"top_k": 1}, {"top_p": 1e-6}],
)
def test_without_chance_it_is_greedy(change: dict[str, float]) -> None:
    best = greedy([BEAM_WINS])
    found = sampled(BEAM_WINS, **change)  # type: ignore[arg-type]
    assert {ids for ids, _ in found} == {tuple(words(best.ids[0, 0]))}
    assert found[0][1] == pytest.approx(best.log_probability[0, 0])


def test_a_forced_beginning_is_written_and_counts() -> None:
    found = sampled(BEAM_WINS, forced=(B, A), temperature=0.0)
    assert {ids for ids, _ in found} == {(B, A, END)}
    assert found[0][1] == pytest.approx(math.log(0.045))


@pytest.mark.slow
def test_the_seed_decides_and_a_sample_does_not_depend_on_how_many_there_are(translator: Translator) -> None:
    text = "ils regardent un film"
    how = DecodingConfig(samples=4, temperature=2.0)
    several = translator.translate([text], how)[0].hypotheses
    assert translator.translate([text], how)[0].hypotheses == several
    assert len({each.ids for each in several}) > 1
    other = translator.translate([text], how.replace(seed=43))[0].hypotheses
    assert [each.ids for each in other] != [each.ids for each in several]
    alone = translator.translate([text], how.replace(samples=1))[0].hypotheses
    assert alone[0].ids == several[0].ids
    among_others = translator.translate(["merci", text, "bonjour"] * 12, how)
    assert [each.ids for each in among_others[1].hypotheses] == [each.ids for each in several]
    assert len(among_others) == 36


@pytest.mark.parametrize(
    "how", [DecodingConfig(samples=3, temperature=0.0), DecodingConfig(samples=2, top_k=1)]
)
def test_a_model_without_chance_translates_greedily(translator: Translator, how: DecodingConfig) -> None:
    for text in ("ils regardent un film", "merci"):
        best = translator.translate([text], GREEDY)[0].best
        for each in translator.translate([text], how)[0].hypotheses:
            assert each.ids == best.ids
            assert each.log_probability == pytest.approx(best.log_probability, abs=1e-4)


def test_all_settings_share_one_graph(translator: Translator) -> None:
    source = np.array([translator.source_tokenizer.encode("merci")], np.int32)
    for how in (
        GREEDY,
        DecodingConfig(samples=2, temperature=0.5),
        DecodingConfig(samples=3, top_k=4, top_p=0.5),
    ):
        for forced in ((), (4,)):
            samples(translator.config, translator.packed_weights, source, how, forced)
    graph = compiled_samples(translator.config)
    assert graph.experimental_get_tracing_count() == 1  # type: ignore[attr-defined]
