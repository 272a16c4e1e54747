"""What a word outside the vocabulary was meant for."""

from __future__ import annotations

import pytest

from core.tokens.likely_words import MAX_WORDS, likely_words
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
    novel = [f"etudiant{letter}" for letter in "abcdefgh"] + ["e" * 10_000]
    assert len(likely_words(novel, FRENCH)) == MAX_WORDS


def test_a_large_vocabulary_is_asked_about_accents_alone() -> None:
    large = Vocabulary.from_tokens(
        ["étudiant", *("abcdefghij"[n // 1000] + chr(97 + n % 26) + "x" * (n // 26) for n in range(3000))],
        start_and_end=True,
    )
    assert likely_words(["etudiant", "etudient"], large) == {"etudiant": "étudiant"}
