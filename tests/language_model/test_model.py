"""A decoder alone: what it learns, and how it continues texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.arrays import Floats
from core.config import DecodingConfig, TokenKind
from core.corpora.toy import PAIRS
from core.inference.search import TranslationError, drawn_probabilities
from core.language_model.model import GREEDY, SEPARATOR_ID, LanguageModel, answer_of, prompt_of
from core.language_model.training import PreparedTexts, decoder_beside, prepare_texts
from core.model.numpy_ops import softmax
from core.presets import CLASSROOM
from core.records.text import Pair
from core.tokens.base import pad
from core.tokens.vocabulary import END_ID, START_ID, UNKNOWN_ID
from core.trainer.snapshots import take_text_snapshot, watched_sentences
from core.training.pairs import SUBWORDS_FROM
from core.weights import parameter_count, weight_shapes
from tests.conftest import random_weights

FEW = PAIRS[:5]


@pytest.fixture(scope="module")
def prepared() -> PreparedTexts:
    return prepare_texts(FEW, CLASSROOM.model.replace(max_source_length=9), CLASSROOM.training)


@pytest.fixture(scope="module")
def untrained(prepared: PreparedTexts) -> LanguageModel:
    """Random weights: each token is likely somewhere."""
    return prepared.language_model(random_weights(prepared.model))


def texts_of(model: LanguageModel) -> list[tuple[int, ...]]:
    return [
        (*prompt_of(pair.source, model.tokenizer), *answer_of(pair, model.tokenizer)) for pair in model.pairs
    ]


def teacher_forced(model: LanguageModel, ids: Sequence[int]) -> Floats:
    """Return the logits (T, V), computed for all tokens at once."""
    forward = model.forward
    return np.asarray(forward.logits(forward.decode(np.array([ids], np.int32), None))[0])


CHINESE = (Pair("我喜欢狗", "i like dogs"), Pair("我喜欢猫", "i like cats"))
MANY = tuple(Pair(f"le mot {number}", f"the word {number}") for number in range(SUBWORDS_FROM))


@pytest.mark.parametrize(("pairs", "kind"), [(FEW, "word"), (CHINESE, "character"), (MANY, "subword")])
def test_both_languages_have_one_kind_of_tokens_and_none_is_unknown(
    pairs: tuple[Pair, ...], kind: TokenKind
) -> None:
    prepared = prepare_texts(pairs, CLASSROOM.model, CLASSROOM.training)
    assert prepared.source_tokenizer is prepared.target_tokenizer and prepared.source_tokenizer.kind == kind
    assert len(prepared.pairs) == len(pairs)
    texts = [text for pair in pairs for text in (pair.source, pair.target)]
    assert not any(UNKNOWN_ID in prepared.source_tokenizer.encode(text) for text in texts)


@pytest.mark.long
def test_it_learns_the_pairs_and_the_words_that_begin_them(prepared: PreparedTexts) -> None:
    """In the translators' loop, with the loss on all tokens: then it can also begin by itself."""
    training = CLASSROOM.training.replace(epochs=100)
    prepared = prepare_texts(FEW, CLASSROOM.model, training, learns_source=True)
    run = prepared.new_run()
    losses = [report.loss for report in run.steps()]
    model = prepared.language_model(run.last_weights())
    assert losses[-1] < 0.2 * losses[0]
    targets = [model.tokenizer.normalized(pair.target) for pair in FEW]
    assert [each.text for each in model.translate([pair.source for pair in FEW])] == targets
    (by_itself,) = model.write([[START_ID]])
    assert model.pair_of((START_ID, *(token for token, _log_probability in by_itself))) in FEW


def test_it_is_as_large_as_the_classroom_s_translator(toy: PreparedTexts) -> None:
    decoder = prepare_texts(PAIRS, CLASSROOM.model, CLASSROOM.training).model
    assert (decoder.num_layers, parameter_count(decoder)) == (5, 176_519)
    assert parameter_count(toy.model) == 174_371
    assert not any(
        "encoder" in name or "source" in name or "cross" in name for name in weight_shapes(decoder)
    )


@pytest.mark.parametrize("learns_source", [False, True])
def test_the_loss_is_that_of_the_target_and_the_end_or_of_all_tokens(learns_source: bool) -> None:
    prepared = prepare_texts(FEW, CLASSROOM.model, CLASSROOM.training, learns_source)
    (batch,) = prepared.encoded.batches(CLASSROOM.training, epoch=1)
    assert batch.source.shape == (CLASSROOM.training.batch_size, 0)
    tokenizer = prepared.source_tokenizer
    expected = sorted(
        [
            *([*tokenizer.encode(pair.source), SEPARATOR_ID] if learns_source else []),
            *answer_of(pair, tokenizer),
        ]
        for pair in FEW
    )
    learned = [row[row != 0].tolist() for row in batch.labels]
    assert sorted(filter(None, learned)) == expected
    is_learned = batch.labels[:, :-1] != 0
    assert (batch.labels[:, :-1][is_learned] == batch.decoder_input[:, 1:][is_learned]).all()


def test_held_out_pairs_are_validated_and_teach_no_words() -> None:
    prepared = prepare_texts(PAIRS, CLASSROOM.model, CLASSROOM.training, held_out=PAIRS[-3:])
    assert (len(prepared.pairs), len(prepared.validation or ())) == (12, 3)
    shown = {word for pair in prepared.pairs for text in (pair.source, pair.target) for word in text.split()}
    assert len(prepared.source_tokenizer.vocabulary) <= 5 + len(shown)


def test_each_step_has_the_logits_of_the_whole_text(untrained: LanguageModel) -> None:
    """With a cache, of texts that begin and end at different places; the first steps only read the beginnings."""
    prompts = [text[: 2 + place] for place, text in enumerate(texts_of(untrained))]
    written = [list(prompt) for prompt in prompts]
    for step in untrained.steps(prompts, DecodingConfig(temperature=1.5, seed=1), most=12):
        for row in np.flatnonzero(step.is_written):
            expected = teacher_forced(untrained, written[row])[-1]
            expected[[0, START_ID]] = step.logits[row, [0, START_ID]]  # which are never written
            np.testing.assert_allclose(step.logits[row], expected, rtol=1e-4, atol=1e-4)
            written[row].append(int(step.tokens[row]))
    for prompt, ids in zip(prompts, written, strict=True):
        assert len(ids) == len(prompt) + 12 or ids[-1] == END_ID
        assert ids[: len(prompt)] == list(prompt) and END_ID not in ids[:-1]


def test_a_text_that_just_fits_is_read(untrained: LanguageModel) -> None:
    most = untrained.config.max_target_length
    word = untrained.tokenizer.vocabulary.tokens[-1]
    assert len(untrained.tokens(" ".join([word] * (most - 1))).words) == most
    with pytest.raises(TranslationError):
        untrained.tokens(" ".join([word] * most))


def test_the_longest_pair_fits_into_a_decoder_alone() -> None:
    model = CLASSROOM.model
    longest = model.max_source_length + 1 + model.max_target_length  # the separator between them
    assert decoder_beside(model, 70).max_target_length == longest


def test_without_a_limit_it_writes_until_it_is_full(untrained: LanguageModel) -> None:
    weights = dict(untrained.weights)
    weights["output/bias"] = weights["output/bias"].copy()
    weights["output/bias"][END_ID] = -100.0
    endless = LanguageModel(untrained.config, weights, untrained.tokenizer)
    (ids,) = endless.write([[START_ID]])
    assert len(ids) == endless.config.max_target_length


def test_attention_is_that_of_a_text_alone_and_of_nothing_ahead(untrained: LanguageModel) -> None:
    text = texts_of(untrained)[0]
    found = untrained.attention(text)
    config = untrained.config
    assert found.shape == (config.num_layers, config.num_heads, len(text), len(text))
    assert not np.triu(found, k=1).any()
    np.testing.assert_allclose(found.sum(axis=-1), 1, rtol=1e-5)
    np.testing.assert_allclose(untrained.attention(text[:-2]), found[:, :, :-2, :-2], atol=1e-5)


@pytest.mark.parametrize("cut", [{"temperature": 0.0}, {"top_k": 1}, {"temperature": 1e-4}, {"top_p": 1e-6}])
def test_what_leaves_one_candidate_is_greedy(untrained: LanguageModel, cut: dict[str, Any]) -> None:
    prompts = [text[:3] for text in texts_of(untrained)]
    assert untrained.write(prompts, DecodingConfig(seed=5, **cut)) == untrained.write(prompts, GREEDY)


def test_the_seed_repeats_and_each_text_of_a_row_is_drawn_for_itself(untrained: LanguageModel) -> None:
    how = DecodingConfig(temperature=2.0, seed=3)
    ten = untrained.write([[START_ID]] * 10, how, most=6)
    assert ten == untrained.write([[START_ID]] * 10, how, most=6)
    assert ten != untrained.write([[START_ID]] * 10, how.replace(seed=4), most=6)
    assert len(set(map(tuple, ten))) > 5
    assert all(log_probability <= 0 for text in ten for _token, log_probability in text)


@given(
    arrays(np.float32, st.tuples(st.integers(1, 3), st.integers(2, 12)), elements=st.floats(-9, 9, width=32)),
    st.floats(0.1, 3), st.integers(0, 12), st.floats(0.05, 1),
)  # fmt: skip
def test_the_cuts_keep_the_likeliest_and_sum_to_one(
    logits: Floats, temperature: float, top_k: int, top_p: float
) -> None:
    how = DecodingConfig(temperature=temperature, top_k=top_k, top_p=top_p)
    for row, kept in zip(
        logits.astype(np.float64), drawn_probabilities(logits.astype(np.float64), how), strict=True
    ):
        assert kept.sum() == pytest.approx(1)
        number = np.count_nonzero(kept)
        assert number <= (top_k or len(row))
        assert row[kept > 0].min() >= max(row[kept == 0], default=-np.inf)
        likely = np.sort(softmax(row / temperature))[::-1][: top_k or len(row)]
        likely /= likely.sum()
        assert kept.max() == pytest.approx(likely[0] / likely[:number].sum())
        if top_p < 1:  # the smallest set that reaches it
            assert likely[:number].sum() >= top_p - 1e-9
            assert likely[: number - 1].sum() < top_p + 1e-9


def test_a_text_as_it_is_read(untrained: LanguageModel) -> None:
    pair = FEW[0]
    found = untrained.tokens(f"{pair.source} [SEP] {pair.target}")
    assert (*found.ids, END_ID) == texts_of(untrained)[0] and not any(found.unknown)
    assert untrained.pair_of((*found.ids, END_ID)) == pair and untrained.pair_of(found.ids) is None
    assert untrained.tokens("").ids == (START_ID,)
    assert untrained.tokens("Zut !").ids == (START_ID, UNKNOWN_ID) and untrained.tokens("zut").unknown[1]
    with pytest.raises(TranslationError, match="500"):
        untrained.tokens("mot " * 499)


def test_a_snapshot_has_its_translations_and_its_looks_at_the_source(
    prepared: PreparedTexts, untrained: LanguageModel
) -> None:
    tokenizers = prepared.source_tokenizer, prepared.target_tokenizer
    watched = watched_sentences(FEW, (), tokenizers)
    found = take_text_snapshot(untrained, watched, 7)
    for each, translation, cross in zip(watched, found.translations, found.cross, strict=True):
        best = untrained.translate([each.source])[0].best
        assert [token for token, _probability in translation] == list(best.ids)[: len(translation)]
        text = (START_ID, *each.source_ids, SEPARATOR_ID, *each.target_ids[:-1])
        columns = slice(1, 1 + len(each.source_tokens))
        shares = untrained.attention(text)[-1][:, len(each.source_ids) + 1 :, columns]
        assert np.abs(cross / 255 - shares).max() < 0.01
        assert cross.shape[1:] == (len(each.target_tokens), len(each.source_tokens))


def test_what_is_padded_changes_nothing(untrained: LanguageModel) -> None:
    """In training, shorter texts of a batch end with padding."""
    short, long = sorted(texts_of(untrained), key=len)[:: len(FEW) - 1]
    forward = untrained.forward
    both = forward.logits(forward.decode(pad([short, long]), None))
    np.testing.assert_allclose(both[0, : len(short)], teacher_forced(untrained, short), rtol=1e-4, atol=1e-4)
