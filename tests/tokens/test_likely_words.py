"""What a word outside the vocabulary was meant for."""

from __future__ import annotations

import gc
import weakref
from itertools import product

import pytest

from core.tokens import likely_words as likely_words_module
from core.tokens.likely_words import MAX_COMPARED, MAX_LETTERS, MAX_WORDS, likely_words
from core.tokens.vocabulary import Vocabulary

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
    monkeypatch.setattr(likely_words_module, "get_close_matches", lambda *_, **__: pytest.fail("compared"))
    assert likely_words([word], FRENCH) == {}


def test_a_large_vocabulary_is_asked_about_accents_alone() -> None:
    others = ["".join(letters) for letters in product("abcdefghijklm", repeat=3)]
    large = Vocabulary.from_tokens(["étudiant", *others], start_and_end=True)
    assert len(others) > MAX_COMPARED
    assert likely_words(["etudiant", "etudient"], large) == {"etudiant": "étudiant"}


def test_nothing_is_kept_of_a_model_that_is_gone() -> None:
    vocabulary = Vocabulary.from_tokens(["étudiant"], start_and_end=True)
    likely_words(["etudiant"], vocabulary)
    gone = weakref.ref(vocabulary)
    del vocabulary
    gc.collect()
    assert gone() is None
