import numpy as np
import pytest

from core.corpora.toy import PAIRS
from core.errors import InputError
from core.records.text import Pair
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import END_ID, START_ID, Vocabulary
from core.training.batches import EncodedPairs
from core.training.pairs import encode_subwords, fitting_pairs, known_words, learn_words, unspaced_side
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
    tokenizers = learn_words([longest, *others])
    assert fitting_pairs([*others, longest], tokenizers, 4, 4) == (longest,)
    with pytest.raises(InputError):
        fitting_pairs(others, tokenizers, 4, 4)
    with pytest.raises(InputError):
        fitting_pairs([], tokenizers, 4, 4)


def test_how_many_words_a_vocabulary_has() -> None:
    source, _ = learn_words(PAIRS)
    assert known_words(["Je suis, zut !", "fatigué"], source) == 0.75
    assert known_words(["big houses"], TOKENIZER) == 0.5  # "house" and "##s" are no whole word
    assert known_words(["…"], source) == 1


def test_subword_ids_are_those_of_the_tokenizer() -> None:
    pairs = [Pair("a casa azul.", "the blue house."), Pair("casas?", "i've houses"), Pair("b", "big, big")]
    encoded, left_out = encode_subwords(pairs, TOKENIZER, TOKENIZER, 100, 100)
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
    encoded, left_out = encode_subwords(pairs, TOKENIZER, TOKENIZER, 2, 2)
    assert (len(encoded), left_out) == (1, 4)
    with pytest.raises(InputError, match="4"):
        encode_subwords(pairs[:4], TOKENIZER, TOKENIZER, 2, 2)


def test_languages_without_spaces_are_recognized() -> None:
    chinese = [("我喜欢狗", "i like dogs"), ("他在看书", "he reads a book"), ("你好", "hello")]
    assert unspaced_side([Pair(*each) for each in chinese]) == "source"
    assert unspaced_side([Pair(english, text) for text, english in chinese]) == "target"
    assert unspaced_side([Pair(text, text) for text, _ in chinese]) == "source and target"
    assert unspaced_side([Pair(" ".join(text), english) for text, english in chinese]) == ""
    assert unspaced_side([Pair("chat", "cat"), *PAIRS]) == ""
