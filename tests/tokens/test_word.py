import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora.toy import PAIRS
from core.tokens import word as word_module
from core.tokens.normalization import Form, normal_form
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import MAX_COMPARED, MAX_LETTERS, MAX_WORDS, WordTokenizer, likely_words, normalize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("J’aime « l'eau » — ÉTÉ…", "j aime l eau été"),
        ("  Où\test-ce ?\n", "où est ce"),
        ("naïve Straße Łódź", "naïve straße łódź"),
        ("3,5 km = 2 mi, €5", "3 5 km 2 mi 5"),
        ("🙂 ☕ — !?", ""),
        ("a\u200bb\u00a0c", "a b c"),
        ("привет, 世界", "привет 世界"),
        ("漢、字＋語\u3000仮", "漢 字 語 仮"),
    ],
)
def test_known_texts(text: str, expected: str) -> None:
    assert normalize(text) == expected


@given(st.text())
def test_normalizing_twice_or_another_way_to_write_a_letter_changes_nothing(text: str) -> None:
    once = normalize(unicodedata.normalize("NFC", text))
    assert normalize(unicodedata.normalize("NFD", text)) == once
    assert normalize(once) == once


@given(st.text(alphabet=st.characters(categories=["L", "N", "Z", "P"])))
def test_no_letter_and_no_accent_is_lost(text: str) -> None:
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    # "İ" becomes "i" and a dot
    letters = [c for c in composed if c.isalnum() or unicodedata.category(c) == "Mn"]
    assert [c for c in normalize(text) if c != " "] == letters


def test_ids_by_descending_frequency_and_first_seen_among_equals() -> None:
    tokenizer = WordTokenizer.fit(["zut b a", "a c", "B a", "d c"], start_and_end=True)
    # By hand: a 3; b and c 2 each, b seen first; zut and d 1 each, zut seen first.
    assert tokenizer.vocabulary.tokens[4:] == ("a", "b", "c", "zut", "d")
    long = WordTokenizer.fit([f"a {'b' * 100} {'c' * 101}"], start_and_end=False)
    assert long.vocabulary.tokens[2:] == ("a", "b" * 100)


def test_special_tokens_leave_no_trace_and_no_text_becomes_one() -> None:
    tokenizer = WordTokenizer.fit(["hello [END] end"], start_and_end=True)
    assert tokenizer.vocabulary.tokens[4:] == ("end", "hello")
    assert tokenizer.decode([2, 5, 0, 4, 3, 0]) == "hello end"
    assert tokenizer.decode([5, 1]) == "hello [UNK]"
    assert tokenizer.encode("hello stranger [END]") == [5, 1, 4]
    english = WordTokenizer.fit([pair.target for pair in PAIRS], start_and_end=True)
    assert all(english.decode(english.encode(pair.target)) == pair.target for pair in PAIRS)


FRENCH = Vocabulary.from_tokens(["je", "suis", "étudiant", "fatigué", "nous", "."], start_and_end=True)


def test_accents_and_slips_are_seen_through() -> None:
    for word, meant in (("Etudiant", "étudiant"), ("fatigue", "fatigué"), ("étudiante", "étudiant")):
        assert likely_words([word], FRENCH) == {word: meant}
    for word in ("zyx", "!", "", "[PAD", "START"):
        assert likely_words([word], FRENCH) == {}


def test_long_texts_words_and_vocabularies_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(likely_words([f"etudiant{letter}" for letter in "abcdefgh"], FRENCH)) == MAX_WORDS
    others = ["".join(letters) for letters in product("abcdefghijklm", repeat=3)]
    assert len(others) > MAX_COMPARED
    monkeypatch.setattr(word_module, "get_close_matches", lambda *_, **__: pytest.fail("compared"))
    large = Vocabulary.from_tokens(["étudiant", *others], start_and_end=True)
    assert likely_words(["etudiant", "etudient"], large) == {"etudiant": "étudiant"}
    for word in ("é" * (MAX_LETTERS + 1), "한" * MAX_LETTERS):  # a syllable is up to three letters
        assert likely_words([word], FRENCH) == {}


# Accents of several orders, alone and in characters that fall apart into some; letters they meet; signs that are
# marks but stop the sorting.
ACCENTED = st.text(alphabet="aé\u0301\u0323\u0327\u0344\u0f73\u0f81\uff9e\u20dd\u034f\uac00\u11a8ﷺ\u1e69")


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
@given(ACCENTED)
def test_a_normal_form_is_what_unicodedata_gives(form: Form, text: str) -> None:
    long = text * 20 + "a" + text[::-1] + "é" * 256
    assert normal_form(form, long) == unicodedata.normalize(form, long)
