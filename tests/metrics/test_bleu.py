import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.bleu import score_detokenized, score_normalized, sentence_bleu

SENTENCES = [
    "The cat sat on the mat, didn't it?",
    "I've never seen 3.5% of that.",
    "Yes: we can see the sea.",
]
WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat", ",", "."]), min_size=4, max_size=12).map(
    " ".join
)


def test_a_perfect_translation_scores_100() -> None:
    for score in (score_detokenized, score_normalized):
        scores = score(SENTENCES, SENTENCES)
        assert scores.bleu == pytest.approx(100)
        assert scores.chrf == pytest.approx(100)


def test_case_does_not_count() -> None:
    for score in (score_detokenized, score_normalized):
        assert score([text.upper() for text in SENTENCES], SENTENCES) == score(SENTENCES, SENTENCES)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4))
def test_scores_lie_between_0_and_100(pairs: list[tuple[str, str]]) -> None:
    hypotheses, references = zip(*pairs, strict=True)
    scores = score_normalized(hypotheses, references)
    assert 0 <= scores.bleu <= 100.0001
    assert 0 <= scores.chrf <= 100.0001
    assert 0 <= sentence_bleu(hypotheses[0], references[0]) <= 100.0001


def test_bleu_as_counted_by_hand() -> None:
    # Matches 5 of 6 words, 4 of 5 pairs, 3 of 4 triples, 2 of 3 fours; as long as the reference.
    scores = score_normalized(["the cat sat on the rug"], ["the cat sat on the mat"])
    assert scores.bleu == pytest.approx(100 * math.prod((5 / 6, 4 / 5, 3 / 4, 2 / 3)) ** 0.25)


def test_a_short_translation_pays() -> None:
    # Every n-gram matches; the penalty is exp(1 - 6 / 5).
    scores = score_normalized(["the cat sat on the"], ["the cat sat on the mat"])
    assert scores.bleu == pytest.approx(100 * math.exp(1 - 6 / 5))


def test_only_the_detokenized_score_cuts_words_itself() -> None:
    hypothesis, reference = ["so the cat sat on the mat."], ["so the cat sat on the mat ."]
    assert score_detokenized(hypothesis, reference).bleu == pytest.approx(100)
    assert score_normalized(hypothesis, reference).bleu < 90


def test_signatures_say_how() -> None:
    detokenized, normalized = score_detokenized(SENTENCES, SENTENCES), score_normalized(SENTENCES, SENTENCES)
    assert "case:lc" in detokenized.bleu_signature
    assert "tok:13a" in detokenized.bleu_signature
    assert "tok:none" in normalized.bleu_signature
    assert "version:" in detokenized.chrf_signature


def test_a_sentence_of_two_words_can_score_100() -> None:
    assert sentence_bleu("thank you", "Thank you") == pytest.approx(100)
    assert sentence_bleu("", "Thank you") == 0
