"""Sentences in, translations out: the search's results as text, batches, full stops, explanations, and errors."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.config import DecodingConfig, ModelConfig
from core.corpora.toy import PAIRS
from core.inference import translator as module
from core.inference.translator import TranslationError, Translator, batches_by_length, target_limit
from core.records import Hypothesis, Translation
from tests.inference import reference

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

SOURCES = [pair.source for pair in PAIRS]
GREEDY = DecodingConfig()
BEAMS = [DecodingConfig(beam_size=size) for size in (2, 4)]


@pytest.fixture(params=["trained", "untrained"])
def any_translator(
    request: pytest.FixtureRequest, translator: Translator, untrained: Translator
) -> Translator:
    return translator if request.param == "trained" else untrained


def uncached(translator: Translator, sentence: str) -> reference.LogProbabilities:
    """Log P of the next token by whole passes, nothing cached."""
    source = translator.source_tokenizer.encode(sentence)

    def log_probabilities(prefixes: list[tuple[int, ...]]) -> np.ndarray:
        target = np.array([(2, *prefix) for prefix in prefixes], np.int32)
        sources = np.repeat(np.array([source], np.int32), len(target), axis=0)
        logits = translator.model.trace(sources, target).logits[:, -1].astype(np.float64)
        shifted = logits - logits.max(-1, keepdims=True)
        return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))

    return log_probabilities


def assert_found(received: Hypothesis, expected: reference.Found) -> None:
    assert received.ids == expected.ids
    assert received.log_probability == pytest.approx(expected.log_probability, abs=2e-4)
    assert received.score == pytest.approx(expected.score, abs=2e-4)
    assert received.finished == expected.finished


def assert_same(received: list[Translation], expected: list[Translation]) -> None:
    """The same translations; numbers may differ where other shapes round otherwise."""
    for a, b in zip(received, expected, strict=True):
        assert (a.source, a.source_tokens, a.unknown) == (b.source, b.source_tokens, b.unknown)
        assert [h.ids for h in a.hypotheses] == [h.ids for h in b.hypotheses]
        scores = [h.score for h in b.hypotheses]
        assert [h.score for h in a.hypotheses] == pytest.approx(scores, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, *BEAMS], ids=lambda d: f"beam{d.beam_size}")
def test_the_trained_model_knows_the_fifteen_pairs(translator: Translator, decoding: DecodingConfig) -> None:
    found = translator.translate(SOURCES, decoding)
    assert [translation.text for translation in found] == [pair.target for pair in PAIRS]
    assert all(translation.best.finished for translation in found)
    assert all(translation.best.tokens == tuple(translation.text.split()) for translation in found)


def test_spelling_as_people_type_it(translator: Translator) -> None:
    assert translator.translate(["  J'AIME   apprendre !! 🙂"])[0].text == "i like learning"
    assert translator.translate(["je suis fatigue\u0301"])[0].text == "i am tired"  # decomposed


def test_greedy_equals_an_uncached_greedy_search(any_translator: Translator) -> None:
    for translation in any_translator.translate(SOURCES):
        limit = target_limit(len(translation.source_tokens), any_translator.config)
        expected = reference.greedy(uncached(any_translator, translation.source), limit)
        assert_found(translation.best, expected)


@pytest.mark.parametrize("beam_size", [2, 4])
@pytest.mark.parametrize("alpha", [0.0, 0.6, 3.0])
def test_beam_search_equals_an_uncached_one(untrained: Translator, beam_size: int, alpha: float) -> None:
    decoding = DecodingConfig(beam_size=beam_size, length_penalty=alpha)
    for translation in untrained.translate(SOURCES[:5], decoding):
        limit = target_limit(len(translation.source_tokens), untrained.config)
        expected = reference.beam(uncached(untrained, translation.source), limit, beam_size, alpha)
        for received, wanted in zip(translation.hypotheses, expected, strict=True):
            assert_found(received, wanted)


def test_the_untrained_model_shows_both_finished_and_cut_off_sentences(untrained: Translator) -> None:
    """Or the tests above would not see one of the two."""
    found = [h for t in untrained.translate(SOURCES, BEAMS[-1]) for h in t.hypotheses]
    assert {h.finished for h in found} == {True, False}
    assert len({len(h.ids) for h in found if h.finished}) > 3


@pytest.mark.parametrize(
    "decoding",
    [GREEDY, BEAMS[1], DecodingConfig(samples=3, temperature=1.5)],
    ids=["greedy", "beam", "samples"],
)
def test_many_at_once_equals_one_by_one(any_translator: Translator, decoding: DecodingConfig) -> None:
    """Sentences that end leave the batch."""
    together = any_translator.translate(3 * SOURCES, decoding)
    assert_same(together, 3 * [any_translator.translate([source], decoding)[0] for source in SOURCES])


def test_the_best_hypotheses_alone(any_translator: Translator) -> None:
    found = any_translator.translate(SOURCES, BEAMS[1])
    best = any_translator.translate(SOURCES, BEAMS[1], best_only=True)
    assert [each.hypotheses for each in best] == [each.hypotheses[:1] for each in found]


def test_the_seed_decides_what_is_drawn(translator: Translator) -> None:
    how = DecodingConfig(samples=4, temperature=2.0)
    several = translator.translate(["ils regardent un film"], how)[0].hypotheses
    assert len({each.ids for each in several}) > 1
    other = translator.translate(["ils regardent un film"], how.replace(seed=43))[0].hypotheses
    assert [each.ids for each in other] != [each.ids for each in several]
    alone = translator.translate(["ils regardent un film"], how.replace(samples=1))[0].hypotheses
    assert alone[0].ids == several[0].ids


def test_several_threads_share_a_translator(translator: Translator) -> None:
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: translator.translate(SOURCES), range(8)):
            assert [each.text for each in found] == [pair.target for pair in PAIRS]


def test_sentences_of_similar_length_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "num_cores", lambda: 2)
    config = ModelConfig(8000, 8000, num_layers=3, d_model=256)
    assert batches_by_length([3, 9, 5], 1, config) == [[1, 2, 0]]
    assert [len(batch) for batch in batches_by_length([20] * 64, 1, config)] == [32, 32]
    assert [len(batch) for batch in batches_by_length([100] * 1000, 4, config)] == [20] * 50


def test_unknown_words_are_marked(translator: Translator) -> None:
    translation = translator.translate(["bonjour Zut merci"])[0]
    assert translation.source_tokens == ("bonjour", "zut", "merci")
    assert translation.unknown == (False, True, False)


def test_an_explanation_is_of_the_translation(any_translator: Translator) -> None:
    config = any_translator.config
    for translation in any_translator.translate(SOURCES):
        explained = any_translator.explain(translation, num_candidates=4)
        record = explained.attention
        assert record is not None
        source, target = len(translation.source_tokens), len(translation.best.ids)
        vocabulary = any_translator.target_tokenizer.vocabulary.tokens
        assert record.predicted_tokens == tuple(vocabulary[i] for i in translation.best.ids)
        assert record.decoder_input_tokens == ("[START]", *record.predicted_tokens[:-1])
        assert record.cross.shape == (config.num_layers, config.num_heads, target, source)
        assert len(explained.candidates) == target
        for token, candidates in zip(record.predicted_tokens, explained.candidates, strict=True):
            probabilities = [candidate.probability for candidate in candidates]
            assert len(probabilities) == 4 and probabilities == sorted(probabilities, reverse=True)
            # The search never writes pad or start, which an untrained model may like best.
            assert next(c.token for c in candidates if c.token not in ("[PAD]", "[START]")) == token


def test_a_full_stop_is_read_and_left_out(checkpoint: Checkpoint) -> None:
    """The classroom's model reads no punctuation, so what is read shows in `read` alone."""
    translator = dataclasses.replace(checkpoint, needs_stop=True).translator()
    typed, stopped = translator.translate_typed(["merci", "merci !"])
    assert (typed.source, typed.read, typed.stop_added) == ("merci", "merci.", True)
    assert (stopped.read, stopped.stop_added) == ("merci !", False)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [("", "no words"), ("🙂 …", "no words"), ("je " * 40, "40 tokens; this model reads at most 32")],
)
def test_what_cannot_be_translated(translator: Translator, sentence: str, message: str) -> None:
    with pytest.raises(TranslationError, match=message) as error:
        translator.translate_typed(["merci", sentence])
    assert error.value.row == 1


def test_no_sentences_no_translations(translator: Translator) -> None:
    assert translator.translate([]) == []


def test_weights_that_overflow_are_named(checkpoint: Checkpoint) -> None:
    weights = {name: np.full_like(array, 1e30) for name, array in checkpoint.weights.items()}
    broken = dataclasses.replace(checkpoint, weights=weights).translator()
    for decoding in (GREEDY, BEAMS[0]):
        with pytest.raises(TranslationError, match="too large to compute with"):
            broken.translate(["merci"], decoding)


def test_too_much_to_show_is_refused(translator: Translator) -> None:
    many = np.ones((3000, 30), np.int32)
    with pytest.raises(TranslationError, match="too large to show"):
        translator.trace(many, many)
