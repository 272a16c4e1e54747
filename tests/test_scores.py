import math

import pytest

from core.evaluation import score_detokenized, score_normalized, sentence_bleu

SENTENCES = [
    "The cat sat on the mat, didn't it?",
    "I've never seen 3.5% of that.",
    "Yes: we can see the sea.",
]


def test_a_perfect_translation_scores_100() -> None:
    for score in (score_detokenized, score_normalized):
        scores = score(SENTENCES, SENTENCES)
        assert scores.bleu == pytest.approx(100)
        assert scores.chrf == pytest.approx(100)


def test_case_does_not_count() -> None:
    for score in (score_detokenized, score_normalized):
        assert score([text.upper() for text in SENTENCES], SENTENCES) == score(SENTENCES, SENTENCES)


def test_bleu_as_counted_by_hand() -> None:
    # Matches 5 of 6 words, 4 of 5 pairs, 3 of 4 triples, 2 of 3 fours; as long as the reference.
    scores = score_normalized(["the cat sat on the rug"], ["the cat sat on the mat"])
    assert scores.bleu == pytest.approx(100 * math.prod((5 / 6, 4 / 5, 3 / 4, 2 / 3)) ** 0.25)


def test_only_the_detokenized_score_cuts_words_itself() -> None:
    hypothesis, reference = ["so the cat sat on the mat."], ["so the cat sat on the mat ."]
    assert score_detokenized(hypothesis, reference).bleu == pytest.approx(100)
    assert score_normalized(hypothesis, reference).bleu < 90


def test_a_sentence_of_two_words_can_score_100() -> None:
    assert sentence_bleu("thank you", "Thank you") == pytest.approx(100)
    assert sentence_bleu("", "Thank you") == 0
