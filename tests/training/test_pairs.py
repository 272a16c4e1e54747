import pickle
from itertools import product

import numpy as np
import pytest

from core.config import TokenKind, TrainingConfig
from core.corpora.toy import PAIRS
from core.errors import InputError
from core.presets import CLASSROOM
from core.records.text import Pair
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import END_ID, START_ID, UNKNOWN_ID, Vocabulary
from core.training.batches import EncodedPairs
from core.training.pairs import (
    SUBWORDS_FROM,
    encode_one_by_one,
    fitting_pairs,
    known_words,
    learn_tokenizers,
    token_kind,
    unknown_words,
)
from core.training.recipe import PreparedTraining
from tests.conftest import SUBWORD_PIECES

TOKENIZER = SubwordTokenizer(Vocabulary.from_tokens(SUBWORD_PIECES, start_and_end=True))


def test_sources_are_words_and_targets_stand_between_start_and_end_padded_behind(
    toy: PreparedTraining,
) -> None:
    vocabularies = toy.source_tokenizer.vocabulary, toy.target_tokenizer.vocabulary
    wanted = (
        [pair.source.split() for pair in PAIRS],
        [["[START]", *pair.target.split(), "[END]"] for pair in PAIRS],
    )
    assert isinstance(toy.encoded, EncodedPairs)
    encoded = toy.encoded.source, toy.encoded.target
    for ids, vocabulary, sentences in zip(encoded, vocabularies, wanted, strict=True):
        longest = max(map(len, sentences))
        padded = [words + ["[PAD]"] * (longest - len(words)) for words in sentences]
        assert [[vocabulary.tokens[i] for i in row] for row in ids] == padded


def test_pairs_without_words_or_too_long_are_left_out() -> None:
    longest = Pair("a b c d", "a b c")  # the decoder reads start, a, b, c
    others = [
        Pair("🙂🙂", "smile"),
        Pair("sourire", "🙂 !"),
        Pair("a b c d e", "a"),
        Pair("a", "a b c d"),
    ]
    tokenizers = learn_tokenizers([longest, *others], CLASSROOM.model, CLASSROOM.training)
    assert fitting_pairs([*others, longest], tokenizers, 4, 3) == (longest,)
    with pytest.raises(InputError):
        fitting_pairs(others, tokenizers, 4, 3)


def test_how_many_words_a_vocabulary_has() -> None:
    source, _ = learn_tokenizers(PAIRS, CLASSROOM.model, CLASSROOM.training)
    assert known_words(["Je suis, zut !", "fatigué"], source) == 0.75
    assert known_words(["big houses"], TOKENIZER) == 0.5  # "house" and "##s" are no whole word
    assert known_words(["…"], source) == 1


def test_subword_ids_are_those_of_the_tokenizer() -> None:
    pairs = [Pair("a casa azul.", "the blue house."), Pair("casas?", "i've houses"), Pair("b", "big, big")]
    encoded, left_out = encode_one_by_one(pairs, TOKENIZER, TOKENIZER, 100, 100)
    rows = np.arange(3)
    assert [row.tolist() for row in encoded.source.rows(rows)] == [
        TOKENIZER.encode(pair.source) for pair in pairs
    ]
    assert [row.tolist() for row in encoded.target.rows(rows)] == [
        [START_ID, *TOKENIZER.encode(pair.target), END_ID] for pair in pairs
    ]
    assert left_out == 0


def test_empty_and_long_sides_are_left_out_and_counted() -> None:
    pairs = [Pair("", "big"), Pair("big", " "), Pair("a a a", "b"), Pair("a", "b b b"), Pair("a a", "b b")]
    encoded, left_out = encode_one_by_one(pairs, TOKENIZER, TOKENIZER, 2, 2)
    assert (len(encoded), left_out) == (1, 4)
    with pytest.raises(InputError, match="4"):
        encode_one_by_one(pairs[:4], TOKENIZER, TOKENIZER, 2, 2)


def test_sentences_say_what_they_are_cut_into() -> None:
    chinese = ["我喜欢狗", "他在看书", "你好"]
    assert token_kind("auto", chinese) == "character"
    assert token_kind("auto", [" ".join(text) for text in chinese]) == "word"
    assert token_kind("auto", ["chat", *(pair.source for pair in PAIRS)]) == "word"
    assert token_kind("auto", [f"a sentence {n}" for n in range(SUBWORDS_FROM)]) == "subword"
    assert token_kind("auto", chinese * SUBWORDS_FROM) == "character"
    assert token_kind("word", chinese) == "word"


def test_each_side_has_its_own_tokens_and_subwords_of_both_one_vocabulary() -> None:
    shared = CLASSROOM.model.replace(source_vocab_size=9, target_vocab_size=9, share_embeddings=True)
    kinds: tuple[TokenKind, ...] = ("word", "subword", "character")
    for source, target in product(kinds, kinds):
        training = TrainingConfig(source_tokens=source, target_tokens=target, vocab_size=90)
        first, second = learn_tokenizers(PAIRS, shared, training)
        assert (first.kind, second.kind) == (source, target)
        assert second.vocabulary.has_start_and_end
        # The process that trains gets it pickled.
        first, second = pickle.loads(pickle.dumps((first, second)))
        for tokenizer, texts in ((first, [p.source for p in PAIRS]), (second, [p.target for p in PAIRS])):
            for text in texts:
                ids = tokenizer.encode(text)
                assert len(ids) == len(tokenizer.tokens(text)) and UNKNOWN_ID not in ids
                assert tokenizer.decode(ids).lower().split() == text.split()
        is_one = first.vocabulary.tokens == second.vocabulary.tokens
        assert is_one == (source == target == "subword")


def test_words_that_no_pair_has_are_unknown_as_words_and_spelled_in_subwords() -> None:
    new = Pair("suiss", "amam")
    for kind, unknown in (("word", ["suiss", "amam"]), ("subword", [])):
        training = TrainingConfig(source_tokens=kind, target_tokens=kind, vocab_size=90)  # type: ignore[arg-type]
        assert unknown_words(new, learn_tokenizers(PAIRS, CLASSROOM.model, training)) == unknown
