import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora.toy import PAIRS
from core.tokens import word as word_module
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import MAX_COMPARED, MAX_LETTERS, MAX_WORDS, WordTokenizer, likely_words, normalize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("J'aime le café !", "j aime le café"),
        ("J’aime « l’eau » — ÉTÉ…", "j aime l eau été"),
        ("Où est-ce ?", "où est ce"),
        ("  deux\tmots\n", "deux mots"),
        ("naïve Straße Łódź", "naïve straße łódź"),
        ("3,5 km = 2 mi", "3 5 km 2 mi"),
        ("🙂 ☕ — !?", ""),
        ("a\u200bb\u00a0c", "a b c"),
        ("привет, 世界", "привет 世界"),
        ("漢、字＋語\u3000仮", "漢 字 語 仮"),
        ("a+b €5", "a b 5"),
        ("", ""),
    ],
)
def test_known_texts(text: str, expected: str) -> None:
    assert normalize(text) == expected


@given(st.text())
def test_both_ways_to_write_a_letter_are_one(text: str) -> None:
    assert normalize(unicodedata.normalize("NFD", text)) == normalize(unicodedata.normalize("NFC", text))


@given(st.text())
def test_normalised_text_stays_as_it_is(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(st.text(alphabet=st.characters(categories=["L", "N", "Z", "P"])))
def test_no_letter_and_no_accent_is_lost(text: str) -> None:
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    letters = [
        c for c in composed if c.isalnum() or unicodedata.category(c) == "Mn"
    ]  # "İ" becomes "i" and a dot
    assert [c for c in normalize(text) if c != " "] == letters


def test_ids_by_descending_frequency_and_first_seen_among_equals() -> None:
    tokenizer = WordTokenizer.fit(["zut b a", "a c", "B a", "d c"], start_and_end=True)
    # By hand: a 3; b and c 2 each, b seen first; zut and d 1 each, zut seen first.
    assert tokenizer.vocabulary.tokens[4:] == ("a", "b", "c", "zut", "d")


def test_the_most_common_toy_words_come_first() -> None:
    source = WordTokenizer.fit([pair.source for pair in PAIRS], start_and_end=False).vocabulary
    target = WordTokenizer.fit([pair.target for pair in PAIRS], start_and_end=True).vocabulary
    # Counted by eye in core/corpora/toy.py: "je" begins seven French sentences, "i" nine English ones.
    assert source.tokens[2] == "je"
    assert target.tokens[4] == "i"
    assert (len(source), len(target)) == (38, 35)  # as in the first notebook


def test_decode_gives_back_what_encode_read() -> None:
    tokenizer = WordTokenizer.fit([pair.target for pair in PAIRS], start_and_end=True)
    for pair in PAIRS:
        assert tokenizer.decode(tokenizer.encode(pair.target)) == pair.target


@given(st.lists(st.integers(4, 34), max_size=12))
def test_encode_gives_back_what_decode_read(ids: list[int]) -> None:
    tokenizer = WordTokenizer.fit([pair.target for pair in PAIRS], start_and_end=True)
    assert tokenizer.encode(tokenizer.decode(ids)) == ids


def test_pad_start_and_end_leave_no_trace_and_unknown_words_do() -> None:
    tokenizer = WordTokenizer.fit(["hello world"], start_and_end=True)
    assert tokenizer.decode([2, 4, 0, 5, 3, 0]) == "hello world"
    assert tokenizer.decode([4, 1]) == "hello [UNK]"
    assert tokenizer.encode("hello nobody") == [4, 1]


def test_no_text_becomes_a_special_token() -> None:
    tokenizer = WordTokenizer.fit(["[PAD] [START] [END] [UNK]"], start_and_end=True)
    assert tokenizer.vocabulary.tokens[4:] == ("pad", "start", "end", "unk")
    assert tokenizer.encode("[END]") == [tokenizer.vocabulary.id_of("end")]


def test_a_word_of_any_length_is_no_token() -> None:
    fitted = WordTokenizer.fit(["a " + "b" * 100 + " " + "c" * 101], start_and_end=False)
    assert fitted.vocabulary.tokens[2:] == ("a", "b" * 100)


FRENCH = Vocabulary.from_tokens(["je", "suis", "étudiant", "fatigué", "nous", "."], start_and_end=True)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("etudiant", "étudiant"), ("Fatigue", "fatigué"), ("étudiante", "étudiant"), ("etudient", "étudiant")],
)
def test_accents_and_slips_are_seen_through(word: str, meant: str) -> None:
    assert likely_words([word], FRENCH) == {word: meant}


def test_a_word_like_none_gets_no_suggestion() -> None:
    assert likely_words(["zyx", "!", ""], FRENCH) == {}


def test_special_tokens_are_never_meant() -> None:
    assert likely_words(["[STAR]", "[PAD", "START"], FRENCH) == {}


def test_a_novel_costs_no_more_than_a_few_words() -> None:
    assert len(likely_words([f"etudiant{letter}" for letter in "abcdefgh"], FRENCH)) == MAX_WORDS


@pytest.mark.parametrize(
    "word", ["é" * (MAX_LETTERS + 1), "한" * MAX_LETTERS]
)  # a syllable is up to three letters
def test_long_words_are_not_compared(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_module, "get_close_matches", lambda *_, **__: pytest.fail("compared"))
    assert likely_words([word], FRENCH) == {}


def test_a_large_vocabulary_is_asked_about_accents_alone() -> None:
    others = ["".join(letters) for letters in product("abcdefghijklm", repeat=3)]
    large = Vocabulary.from_tokens(["étudiant", *others], start_and_end=True)
    assert len(others) > MAX_COMPARED
    assert likely_words(["etudiant", "etudient"], large) == {"etudiant": "étudiant"}
