"""Sentences in, translations out: the search's results as text, batches, full stops, explanations, and errors."""

from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.inference.model import attention_weight_names, attention_weights
from core.inference.texts import TextRun
from core.inference.translator import (
    NUM_CANDIDATES,
    TranslationError,
    Translator,
    batches_by_length,
    map_in_threads,
    target_limit,
)
from core.language import Language, language, reading
from core.tokens.sentences import without_full_stop
from tests.conftest import subword_checkpoint

PAD, START, END = 0, 2, 3
SOURCES = [pair.source for pair in PAIRS]
GREEDY = DecodingConfig()
BEAMS = [DecodingConfig(beam_size=size) for size in (2, 4)]


@pytest.fixture(params=["trained", "untrained", "not causal"])
def any_translator(
    request: pytest.FixtureRequest, translator: Translator, untrained: Translator
) -> Translator:
    if request.param == "not causal":  # it writes and explains as with the mask
        source, target = translator.source_tokenizer, translator.target_tokenizer
        return Translator(translator.config.replace(causal_mask=False), translator.weights, source, target)
    return translator if request.param == "trained" else untrained


def reference_beam_search(
    translator: Translator, sentence: str, beam_size: int, alpha: float
) -> list[tuple[float, tuple[int, ...]]]:
    """Return score and ids of each hypothesis, found by whole passes of the model, nothing cached.

    To the length limit, without the early stop, so that a search that stops too early shows.
    """
    source = translator.source_tokenizer.encode(sentence)

    def log_probabilities(prefixes: list[tuple[int, ...]]) -> np.ndarray:
        target = np.array([(START, *prefix) for prefix in prefixes], np.int32)
        sources = np.repeat(np.array([source], np.int32), len(target), axis=0)
        logits = translator.model.logits(sources, target)[:, -1].astype(np.float64)
        return np.asarray(logits - np.log(np.exp(logits).sum(-1, keepdims=True)))

    def scored(total: float, ids: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return total / ((5 + len(ids)) / 6) ** alpha, ids

    alive: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    ended: list[tuple[float, tuple[int, ...]]] = []
    for _ in range(target_limit(len(source), translator.config)):
        rows = log_probabilities([ids for _, ids in alive])
        longer = [
            (total + row[token], (*ids, token))
            for (total, ids), row in zip(alive, rows, strict=True)
            for token in range(rows.shape[1])
            if token not in (PAD, START)
        ]
        longer = sorted(longer, reverse=True)[: 2 * beam_size]
        ended += [scored(*each) for each in longer if END in each[1]]
        ended = sorted(ended, reverse=True)[:beam_size]
        alive = [each for each in longer if END not in each[1]][:beam_size]
    return (ended + sorted((scored(*each) for each in alive), reverse=True))[:beam_size]


@pytest.mark.parametrize("beam_size", [2, 4])
@pytest.mark.parametrize("alpha", [0.0, 0.6, 3.0])
def test_beam_search_equals_an_uncached_one(untrained: Translator, beam_size: int, alpha: float) -> None:
    translations = untrained.translate(SOURCES[:5], DecodingConfig(beam_size=beam_size, length_penalty=alpha))
    assert {h.finished for each in translations for h in each.hypotheses} == {True, False}
    for translation in translations:
        expected = reference_beam_search(untrained, translation.source, beam_size, alpha)
        for received, (score, ids) in zip(translation.hypotheses, expected, strict=True):
            assert (received.ids, received.finished) == (ids, END in ids)
            assert received.score == pytest.approx(score, abs=2e-4)


@pytest.mark.parametrize(
    "decoding",
    [GREEDY, BEAMS[1], DecodingConfig(samples=3, temperature=1.5)],
    ids=["greedy", "beam", "samples"],
)
def test_many_at_once_equals_one_by_one(any_translator: Translator, decoding: DecodingConfig) -> None:
    """Sentences that end leave the batch."""
    together = any_translator.translate(3 * SOURCES, decoding)
    alone = 3 * [any_translator.translate([source], decoding)[0] for source in SOURCES]
    for received, expected in zip(together, alone, strict=True):
        assert (received.source, received.source_tokens) == (expected.source, expected.source_tokens)
        assert [h.ids for h in received.hypotheses] == [h.ids for h in expected.hypotheses]
        # Numbers may differ where other shapes round otherwise.
        scores = [h.score for h in expected.hypotheses]
        assert [h.score for h in received.hypotheses] == pytest.approx(scores, abs=1e-4)


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


def test_an_error_in_any_thread_is_in_the_reader_s_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.inference.translator.num_cores", lambda: 2)
    with reading(Language("fr", "Français")):
        assert map_in_threads(lambda _: language(), range(3)) == [language()] * 3


@pytest.mark.parametrize("length", [5, 100])  # the logits take more room, or the source
def test_a_batch_takes_no_more_room_with_more_hypotheses(
    untrained: Translator, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.inference.translator.num_cores", lambda: 1)
    config = untrained.config.replace(d_model=512, target_vocab_size=50_000)
    lengths = [length] * 500
    largest = [max(map(len, batches_by_length(lengths, number, config))) for number in (1, 2, 4, 8)]
    assert largest[0] >= 2 * largest[1] >= 4 * largest[2] >= 8 * largest[3] > 0


def test_a_model_that_never_ends_writes_fifty_tokens_more_than_it_reads(untrained: Translator) -> None:
    weights = {name: array.copy() for name, array in untrained.weights.items()}
    weights["output/bias"][END] = -1e4
    tokenizers = untrained.source_tokenizer, untrained.target_tokenizer
    for longest in (40, 100):
        endless = Translator(untrained.config.replace(max_target_length=longest), weights, *tokenizers)
        for translation in endless.translate(SOURCES[:4]):
            assert len(translation.best.ids) == min(longest, len(translation.source_ids) + 50)


@pytest.mark.parametrize("decoding", [GREEDY, *BEAMS, DecodingConfig(samples=3)])
def test_an_explanation_is_what_the_search_saw(any_translator: Translator, decoding: DecodingConfig) -> None:
    """Attention equals that of one pass over the whole translation, for hypotheses that changed beams too."""
    for sentence in SOURCES[:6]:
        (translation,) = any_translator.translate([sentence], decoding)
        explained = any_translator.explain(sentence, decoding)
        assert [each.ids for each in explained.translation.hypotheses] == [
            each.ids for each in translation.hypotheses
        ]
        record = explained.attention
        vocabulary = any_translator.target_tokenizer.vocabulary.tokens
        assert record.source_tokens == translation.source_tokens
        assert record.predicted_tokens == tuple(vocabulary[i] for i in translation.best.ids)
        assert record.decoder_input_tokens == ("[START]", *record.predicted_tokens[:-1])
        config = any_translator.config
        found = any_translator.results_of(
            translation.source_ids, translation.best.ids, attention_weight_names(config)
        )
        for kind, weights in attention_weights(found, config).items():
            np.testing.assert_allclose(getattr(record, kind), weights, rtol=1e-5, atol=1e-6)


def test_candidates_are_what_the_search_chose_from(any_translator: Translator) -> None:
    for sentence in SOURCES:
        explained = any_translator.explain(sentence)
        tokens = any_translator.target_tokenizer.vocabulary.tokens
        assert len(explained.candidates) == len(explained.translation.best.ids)
        for token_id, candidates in zip(explained.translation.best.ids, explained.candidates, strict=True):
            probabilities = [candidate.probability for candidate in candidates]
            assert len(probabilities) == NUM_CANDIDATES
            assert probabilities == sorted(probabilities, reverse=True)
            # The search never writes pad or start, which an untrained model may like best.
            written = next(each for each in candidates if each.token not in ("[PAD]", "[START]"))
            assert written.token == tokens[token_id]


@pytest.mark.slow
def test_a_stop_is_read_and_left_out() -> None:
    live = subword_checkpoint(needs_full_stop=True).translator()
    typed, rest = live.translate(["a casa", "azul?"], BEAMS[1], typed=True)
    whole, same = live.translate(["a casa.", "azul?"], BEAMS[1])
    assert (typed.source, typed.read, typed.full_stop_added) == ("a casa", "a casa.", True)
    assert typed.source_tokens == whole.source_tokens == ("a", "casa", ".")
    assert [h.text for h in typed.hypotheses] == [without_full_stop(h.text) for h in whole.hypotheses]
    assert [h.ids for h in typed.hypotheses] == [h.ids for h in whole.hypotheses]
    assert (rest, rest.full_stop_added) == (same, False)
    explained = live.explain("a casa", BEAMS[1], typed=True).attention
    expected = live.explain("a casa.", BEAMS[1]).attention
    np.testing.assert_array_equal(explained.cross, expected.cross)
    most = live.config.max_source_length
    fits, full = live.translate(["casa " * (most - 1), "casa " * most], typed=True)
    assert (fits.full_stop_added, full.full_stop_added) == (True, False)  # there is no room for it


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, BEAMS[1]], ids=["greedy", "beam"])
@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("anki_en_fr", ["Hello", "Yes", "why", "Where is the train station", 'He said "yes"']),
        ("ted_pt_en", ["olá", "bom dia", "onde fica a estação", "água", "não"]),
    ],
)
def test_what_people_type_without_a_stop_comes_to_an_end(
    name: str, texts: list[str], decoding: DecodingConfig
) -> None:
    shipped = Checkpoint.load(shipped_checkpoints()[name]).translator()
    for typed in TextRun(shipped, texts, decoding).finish():
        (sentence,) = typed.sentences
        assert sentence.best.finished
        assert sentence.full_stop_added is shipped.needs_full_stop
        assert len(sentence.best.ids) <= 2 * len(sentence.source_tokens) + 2
        assert max(len(list(run)) for _, run in groupby(sentence.best.tokens)) < 3
        assert typed.text != ""


@pytest.mark.parametrize(
    ("sentence", "message"), [("", "no words"), ("je " * 40, "40 tokens; this model reads at most 32")]
)
def test_what_cannot_be_translated(translator: Translator, sentence: str, message: str) -> None:
    with pytest.raises(TranslationError, match=message):
        translator.translate(["merci", sentence], typed=True)


def test_weights_that_overflow_are_named(untrained: Translator) -> None:
    weights = {name: np.full_like(array, 1e30) for name, array in untrained.weights.items()}
    broken = Translator(untrained.config, weights, untrained.source_tokenizer, untrained.target_tokenizer)
    for decoding in (GREEDY, BEAMS[0]):
        with pytest.raises(TranslationError, match="too large to compute with"):
            broken.translate(["merci"], decoding)
    with pytest.raises(TranslationError, match="too large to compute with"):
        broken.results_of([4, 5], [4, END], ["encoder"])


@pytest.mark.slow
def test_too_much_to_show_is_refused(translator: Translator) -> None:
    many = np.ones((3000, 30), np.int32)
    with pytest.raises(TranslationError, match="too large to show"):
        translator.results(many, many, attention_weight_names(translator.config))
