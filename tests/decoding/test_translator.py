from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
import tensorflow as tf
from numpy.typing import NDArray

from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.decoding.batches import MAX_COMPILED_ROWS, source_bucket, target_limit
from core.decoding.translator import TranslationError, Translator
from core.model.transformer import Transformer
from core.pipeline import PreparedPairs, pad
from core.presets import CLASSROOM
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from core.weights import initial_weights, weight_shapes
from tests.conftest import Trained, random_weights
from tests.decoding import reference

if TYPE_CHECKING:
    from core.records import Hypothesis, Translation

pytestmark = pytest.mark.usefixtures("forgotten_programs")

SOURCES = [pair.source for pair in PAIRS]
GREEDY = DecodingConfig()
BEAMS = [DecodingConfig(beam_size=size) for size in (2, 4)]


@pytest.fixture(params=["trained", "untrained"])
def any_translator(
    request: pytest.FixtureRequest, translator: Translator, untrained: Translator
) -> Translator:
    return translator if request.param == "trained" else untrained


class Plain:
    """The translator's weights in a model of its own, read with whole passes, nothing cached."""

    def __init__(self, translator: Translator) -> None:
        self.encode = translator.source_tokenizer.encode
        self.model = Transformer(translator.config)
        self.model.assign_weights(translator.weights())
        self._forward = tf.function(lambda source, target: self.model(source, target), autograph=False)

    def next_tokens(self, sentence: str, beginnings: list[tuple[int, ...]]) -> NDArray[np.float64]:
        """Log P (N, T, V) after each beginning of up to 32 tokens, at most five of them."""
        source = pad([self.encode(sentence)] * 5, 5)
        target = pad([(2, *beginning) for beginning in beginnings], 33, 5)[:, :32]
        logits = np.asarray(self._forward(source, target), np.float64)
        shifted = logits - logits.max(-1, keepdims=True)
        return (shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))[: len(beginnings)]

    def log_probabilities(self, sentence: str) -> reference.LogProbabilities:
        return lambda beginnings: self.next_tokens(sentence, beginnings)[:, len(beginnings[0])]

    def teacher_forced(self, sentence: str, ids: tuple[int, ...]) -> float:
        """Log P(ids | sentence), with or without an end."""
        rows = self.next_tokens(sentence, [ids])[0]
        return float(sum(rows[t, token] for t, token in enumerate(ids)))


@pytest.fixture(scope="module")
def plain_trained(translator: Translator) -> Plain:
    return Plain(translator)


@pytest.fixture(scope="module")
def plain_untrained(untrained: Translator) -> Plain:
    return Plain(untrained)


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
        assert [h.text for h in a.hypotheses] == [h.text for h in b.hypotheses]
        scores = [h.score for h in b.hypotheses]
        assert [h.score for h in a.hypotheses] == pytest.approx(scores, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, *BEAMS], ids=lambda d: f"beam{d.beam_size}")
def test_the_trained_model_knows_the_fifteen_pairs(translator: Translator, decoding: DecodingConfig) -> None:
    found = translator.translate(SOURCES, decoding)
    assert [translation.text for translation in found] == [pair.target for pair in PAIRS]
    assert all(translation.best.finished for translation in found)
    assert all(translation.best.tokens == tuple(translation.text.split()) for translation in found)


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, BEAMS[1]], ids=["greedy", "beam"])
def test_xla_finds_what_plain_graphs_find(
    with_xla: None, translator: Translator, decoding: DecodingConfig
) -> None:
    """As the app translates."""
    found = translator.translate(SOURCES, decoding)
    assert [translation.text for translation in found] == [pair.target for pair in PAIRS]


@pytest.mark.slow
def test_spelling_as_people_type_it(translator: Translator) -> None:
    assert translator.translate(["  J'AIME   apprendre !! 🙂"])[0].text == "i like learning"
    decomposed = "je suis fatigue\u0301"
    assert translator.translate([decomposed])[0].text == "i am tired"


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, *BEAMS], ids=lambda d: f"beam{d.beam_size}")
def test_reported_log_probability_is_what_one_pass_gives(
    any_translator: Translator,
    plain_trained: Plain,
    plain_untrained: Plain,
    translator: Translator,
    decoding: DecodingConfig,
) -> None:
    plain = plain_trained if any_translator is translator else plain_untrained
    for translation in any_translator.translate(SOURCES, decoding):
        for hypothesis in translation.hypotheses:
            expected = plain.teacher_forced(translation.source, hypothesis.ids)
            assert expected == pytest.approx(hypothesis.log_probability, abs=1e-3)


@pytest.mark.parametrize("decoding", BEAMS, ids=lambda d: f"beam{d.beam_size}")
def test_n_best_are_distinct_sorted_and_scored_by_the_formula(
    any_translator: Translator, decoding: DecodingConfig
) -> None:
    for translation in any_translator.translate(SOURCES, decoding):
        hypotheses = translation.hypotheses
        assert len({hypothesis.ids for hypothesis in hypotheses}) == len(hypotheses) == decoding.beam_size
        order = [(not hypothesis.finished, -hypothesis.score) for hypothesis in hypotheses]
        assert order == sorted(order)
        for hypothesis in hypotheses:
            penalty = ((5 + len(hypothesis.ids)) / 6) ** 0.6  # Wu et al. 2016, equation (14)
            assert hypothesis.score == pytest.approx(hypothesis.log_probability / penalty, rel=1e-4)
            assert (hypothesis.ids[-1] == 3) == hypothesis.finished
            assert not {0, 2} & set(hypothesis.ids) and 3 not in hypothesis.ids[:-1]


def test_the_untrained_model_shows_both_ended_and_cut_off_sentences(untrained: Translator) -> None:
    """Or the tests above would not see one of the two."""
    found = [h for t in untrained.translate(SOURCES, BEAMS[-1]) for h in t.hypotheses]
    assert {h.finished for h in found} == {True, False}
    assert all(len(h.ids) == 32 for h in found if not h.finished)
    assert len({len(h.ids) for h in found if h.finished}) > 3


@pytest.mark.slow
def test_greedy_equals_an_uncached_greedy_search(
    translator: Translator, untrained: Translator, plain_trained: Plain, plain_untrained: Plain
) -> None:
    for model, plain in ((translator, plain_trained), (untrained, plain_untrained)):
        for translation in model.translate(SOURCES):
            limit = target_limit(8, model.config)
            expected = reference.greedy(plain.log_probabilities(translation.source), limit)
            assert_found(translation.best, expected)


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [2, 4])
@pytest.mark.parametrize("alpha", [0.0, 0.6, 3.0])
def test_beam_equals_an_uncached_beam_search(
    untrained: Translator, plain_untrained: Plain, beam_size: int, alpha: float
) -> None:
    decoding = DecodingConfig(beam_size=beam_size, length_penalty=alpha)
    for translation in untrained.translate(SOURCES[:5], decoding):
        log_probabilities = plain_untrained.log_probabilities(translation.source)
        expected = reference.beam(log_probabilities, untrained.config.max_target_length, beam_size, alpha)
        for received, wanted in zip(translation.hypotheses, expected, strict=True):
            assert_found(received, wanted)


def test_beam_equals_an_uncached_beam_search_on_the_trained_model(
    translator: Translator, plain_trained: Plain
) -> None:
    for translation in translator.translate([SOURCES[0], SOURCES[8]], BEAMS[1]):
        expected = reference.beam(plain_trained.log_probabilities(translation.source), 32, 4, 0.6)
        for received, wanted in zip(translation.hypotheses, expected, strict=True):
            assert_found(received, wanted)


def test_beams_find_what_greedy_finds_where_the_model_is_sure(translator: Translator) -> None:
    greedy = translator.translate(SOURCES)
    for translation, beam in zip(greedy, translator.translate(SOURCES, BEAMS[0]), strict=True):
        assert translation.best.ids == beam.best.ids
        assert translation.best.log_probability == pytest.approx(beam.best.log_probability, abs=1e-4)


@pytest.mark.parametrize("decoding", [GREEDY, BEAMS[1]], ids=["greedy", "beam4"])
def test_many_at_once_equals_one_by_one(any_translator: Translator, decoding: DecodingConfig) -> None:
    together = any_translator.translate(SOURCES, decoding)
    assert_same(together, [any_translator.translate([source], decoding)[0] for source in SOURCES])
    assert_same(any_translator.translate(SOURCES[:3], decoding), together[:3])  # another batch bucket


@pytest.mark.parametrize("decoding", [GREEDY, BEAMS[1]], ids=["greedy", "beam4"])
def test_more_sentences_than_xla_computes_together(
    any_translator: Translator, decoding: DecodingConfig
) -> None:
    """Those that end leave the batch."""
    found = any_translator.translate(2 * SOURCES, decoding)
    assert len(found) > MAX_COMPILED_ROWS
    assert_same(found, 2 * [any_translator.translate([source], decoding)[0] for source in SOURCES])


def test_the_best_hypotheses_alone(any_translator: Translator) -> None:
    found = any_translator.translate(SOURCES, BEAMS[1])
    best = any_translator.translate(SOURCES, BEAMS[1], best_only=True)
    assert [each.hypotheses for each in best] == [each.hypotheses[:1] for each in found]


def test_two_lengths_and_more_than_a_batch(untrained: Translator) -> None:
    sentences = [SOURCES[n % 15] for n in range(68)]
    sentences[::20] = [" ".join(SOURCES[n : n + 7]) for n in range(3, 7)]
    lengths = [source_bucket(len(sentence.split()), untrained.config) for sentence in sentences]
    assert lengths.count(16) == 64 and lengths.count(32) == 4
    found = untrained.translate([*sentences, *SOURCES[:2]])
    assert [translation.source for translation in found] == [*sentences, *SOURCES[:2]]
    for n in (*range(16), 20, 40, 60):
        assert_same([found[n]], untrained.translate([sentences[n]]))
    assert_same(found[68:], [untrained.translate([source])[0] for source in SOURCES[:2]])


@pytest.mark.slow
def test_the_bucket_a_source_is_padded_to_changes_nothing(untrained: Translator) -> None:
    from core.decoding.compiled import compiled_search

    ids = untrained.source_tokenizer.encode(SOURCES[5])
    results = [
        compiled_search(untrained.config, beam_size)(untrained._weights, pad([ids], length), 0.6)
        for beam_size in (1, 3)
        for length in (8, 16)
    ]
    for narrow, wide in (results[:2], results[2:]):
        assert np.array_equal(narrow.ids, wide.ids)  # the target limit is 32 either way
        assert np.allclose(narrow.log_probability, wide.log_probability, atol=1e-4)


def test_no_sentences_no_translations(translator: Translator) -> None:
    assert translator.translate([]) == []


def test_unknown_words_are_marked(translator: Translator) -> None:
    translation = translator.translate(["bonjour Zut merci"])[0]
    assert translation.source_tokens == ("bonjour", "zut", "merci")
    assert translation.unknown == (False, True, False)


def test_explain_shapes_tokens_and_candidates(any_translator: Translator) -> None:
    config = any_translator.config
    for translation in any_translator.translate(SOURCES):
        assert translation.attention is None and translation.candidates == ()
        explained = any_translator.explain(translation, num_candidates=4)
        record = explained.attention
        assert record is not None
        source, target = len(translation.source_tokens), len(translation.best.ids)
        vocabulary = any_translator.target_tokenizer.vocabulary.tokens
        assert record.source_tokens == translation.source_tokens
        assert record.predicted_tokens == tuple(vocabulary[i] for i in translation.best.ids)
        assert record.decoder_input_tokens == ("[START]", *record.predicted_tokens[:-1])
        assert record.encoder.shape == (config.num_layers, config.num_heads, source, source)
        assert record.decoder.shape == (config.num_layers, config.num_heads, target, target)
        assert record.cross.shape == (config.num_layers, config.num_heads, target, source)
        assert (np.triu(record.decoder, k=1) == 0).all()

        assert len(explained.candidates) == target
        for candidates in explained.candidates:
            probabilities = [candidate.probability for candidate in candidates]
            assert len(probabilities) == 4 and probabilities == sorted(probabilities, reverse=True)
            assert 0 < sum(probabilities) <= 1 + 1e-5
        assert explained.hypotheses == translation.hypotheses


def test_the_first_candidate_is_what_greedy_chose(translator: Translator, untrained: Translator) -> None:
    for model in (translator, untrained):
        for translation in model.translate(SOURCES):
            explained = model.explain(translation)
            assert explained.attention is not None
            chosen = explained.attention.predicted_tokens
            for token, candidates in zip(chosen, explained.candidates, strict=True):
                # The search never says pad or start, which an untrained model may like best.
                sayable = [c.token for c in candidates if c.token not in ("[PAD]", "[START]")]
                assert sayable[0] == token


def test_candidates_multiply_to_the_reported_probability(translator: Translator) -> None:
    for translation in translator.translate(SOURCES):
        explained = translator.explain(translation)
        product = np.prod([candidates[0].probability for candidates in explained.candidates])
        assert np.log(product) == pytest.approx(translation.best.log_probability, abs=1e-3)


@pytest.mark.slow
def test_explained_attention_equals_the_rows_of_the_cached_steps(any_translator: Translator) -> None:
    from core.decoding.cache import BeamCache

    plain = Plain(any_translator)
    for source in (SOURCES[1], SOURCES[5]):
        translation = any_translator.translate([source])[0]
        record = any_translator.explain(translation).attention
        assert record is not None
        ids = any_translator.source_tokenizer.encode(source)
        encoded = plain.model.encode(tf.constant([ids]))
        cache = BeamCache.empty(any_translator.config, 1, 1, len(translation.best.ids))
        for position, token in enumerate([2, *translation.best.ids[:-1]]):
            ids = tf.constant([[token]])
            seen = cache.seen(position)
            _, layers, cross = plain.model.decode_step(ids, position, encoded, cache.at(position), seen)
            cache = cache._replace(layers=layers)
            for layer, rows in enumerate(cross):
                assert np.allclose(rows.numpy()[0, :, 0], record.cross[layer, :, position], atol=1e-5)


def test_explaining_a_beams_best_tells_of_that_sentence(untrained: Translator) -> None:
    translation = untrained.translate([SOURCES[3]], BEAMS[1])[0]
    record = untrained.explain(translation).attention
    assert record is not None
    words = tuple(token for token in record.predicted_tokens if token != "[END]")
    assert words == translation.best.tokens


@pytest.mark.parametrize("text", ["", "   ", "🙂🙂", "?! …"])
def test_a_sentence_without_words(translator: Translator, text: str) -> None:
    with pytest.raises(
        TranslationError, match=r"There are no words to translate .*Type a sentence\. Received: "
    ) as caught:
        translator.translate([text])
    assert caught.value.row == 0


def test_ten_thousand_words(translator: Translator) -> None:
    with pytest.raises(
        TranslationError, match=r"10,000 tokens; this model reads at most 32\. Shorten it or split"
    ):
        translator.translate(["bonjour " * 10_000])
    assert translator.translate(["bonjour " * 32])[0].best.ids  # the limit itself


def test_the_row_of_the_failing_sentence_is_told(translator: Translator) -> None:
    with pytest.raises(TranslationError) as caught:
        translator.translate(["bonjour", "merci", "!", "bonne nuit"])
    assert caught.value.row == 2
    with pytest.raises(TranslationError) as caught:
        translator.translate(["bonjour", "merci " * 33])
    assert caught.value.row == 1


@pytest.mark.slow
def test_several_threads_get_what_one_gets(translator: Translator, untrained: Translator) -> None:
    jobs = [
        (model, source, decoding)
        for model in (translator, untrained)
        for source in SOURCES[:6]
        for decoding in (GREEDY, BEAMS[0])
    ]
    alone = [model.explain(model.translate([source], decoding)[0]) for model, source, decoding in jobs]
    together = threading.Barrier(6)

    def work(worker: int) -> list[Translation]:
        together.wait()
        order = jobs[worker:] + jobs[:worker]
        found = [model.explain(model.translate([source], decoding)[0]) for model, source, decoding in order]
        return found[len(jobs) - worker :] + found[: len(jobs) - worker]

    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(work, range(6)):
            for received, expected in zip(found, alone, strict=True):
                assert received.hypotheses == expected.hypotheses
                assert received.candidates == expected.candidates
                assert received.attention is not None and expected.attention is not None
                assert np.array_equal(received.attention.cross, expected.attention.cross)


def test_threads_that_all_compile_at_once(with_xla: None, toy: PreparedPairs) -> None:
    config = CLASSROOM.model.replace(num_layers=1, d_model=12, num_heads=3, d_ff=8)  # compiled nowhere before
    weights = initial_weights(config, 1)
    together = threading.Barrier(4)

    def work(_: int) -> str:
        model = Translator(config, weights, toy.source_tokenizer, toy.target_tokenizer)
        together.wait()
        return model.translate(["bonjour"])[0].text

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(work, range(4)))) == 1


@pytest.mark.slow
def test_translating_while_training(translator: Translator, trained: Trained) -> None:
    """What a lesson does: one person trains a model of the same shape while another translates."""
    from core.training.loop import TrainingRun

    expected = translator.translate(SOURCES)
    run = TrainingRun(trained.config, CLASSROOM.training.replace(epochs=5), trained.prepared.encoded)

    def train() -> None:
        for _ in run.steps():
            pass

    with ThreadPoolExecutor(1) as pool:
        training = pool.submit(train)
        while not training.done():
            assert translator.translate(SOURCES) == expected
        training.result()
    assert run.log.reports == trained.run.log.reports[: len(run.log.reports)]


def test_warm_up_traces_what_a_short_sentence_needs(translator: Translator) -> None:
    translator.warm_up()
    assert translator.translate(["bonjour"])[0].text == "hello"


def tiny_vocabulary(**changes: int) -> Translator:
    """One word on each side."""
    config = CLASSROOM.model.replace(
        source_vocab_size=3, target_vocab_size=5, num_layers=1, d_model=4, num_heads=1, d_ff=4, **changes
    )
    source = WordTokenizer(Vocabulary.from_tokens(["chat"], start_and_end=False))
    target = WordTokenizer(Vocabulary.from_tokens(["cat"], start_and_end=True))
    return Translator(config, random_weights(config), source, target)


@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_more_beams_than_sentences(alpha: float) -> None:
    """Two tokens at most of "cat" and the unknown: three end, four are cut off, and no more are told."""
    found = tiny_vocabulary(max_target_length=2).translate(["chat"], DecodingConfig(16, alpha))[0].hypotheses
    assert len(found) == len({hypothesis.ids for hypothesis in found}) == 7
    assert [hypothesis.finished for hypothesis in found] == [True] * 3 + [False] * 4
    assert all(hypothesis.log_probability > -1000 for hypothesis in found)


@pytest.mark.slow
def test_the_shortest_limits() -> None:
    translator = tiny_vocabulary(max_source_length=1, max_target_length=2)
    for decoding in (GREEDY, BEAMS[0]):
        explained = translator.explain(translator.translate(["chat"], decoding)[0])
        assert explained.attention is not None and len(explained.candidates) in (1, 2)
    with pytest.raises(TranslationError, match="has 2 tokens; this model reads at most 1"):
        translator.translate(["chat chat"])


@pytest.mark.parametrize("decoding", [GREEDY, BEAMS[0]], ids=["greedy", "beam"])
def test_weights_that_overflow_are_told(decoding: DecodingConfig) -> None:
    translator = tiny_vocabulary()
    huge = {
        name: np.full(shape, 3e38, np.float32) for name, shape in weight_shapes(translator.config).items()
    }
    broken = Translator(translator.config, huge, translator.source_tokenizer, translator.target_tokenizer)
    with pytest.raises(TranslationError, match="weights are too large to compute with"):
        broken.translate(["chat"], decoding)


def test_attention_that_would_take_too_much_memory_is_refused(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    translation = translator.translate(["je ne comprends pas"])[0]
    monkeypatch.setattr("core.decoding.translator.MAX_ATTENTION", 300)
    with pytest.raises(
        TranslationError, match=r"attention of 4 tokens in 2 layers of 4 heads is too large to show"
    ):
        translator.explain(translation)
