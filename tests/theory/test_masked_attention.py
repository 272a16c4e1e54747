import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.theory.attention import masked_softmax
from core.theory.masked_attention import masked_attention, untrained_scores
from core.theory.masks import causal_mask

squares = st.integers(1, 6).flatmap(
    lambda size: arrays(np.float64, (size, size), elements=st.floats(-50, 50))
)


def test_a_row_by_hand() -> None:
    """Scores ln 1, ln 3, ln 4 and a blocked ln 8.

    Without the mask the shares are 1, 3, 4, 8 of 16; with it 1, 3, 4 of 8, and nothing for the last.
    """
    scores = [[0.0, math.log(3), math.log(4), math.log(8)]]
    record = masked_attention(scores, [[True, True, True, False]])
    assert record.without[0] == pytest.approx([0.0625, 0.1875, 0.25, 0.5])
    assert record.weights[0] == pytest.approx([0.125, 0.375, 0.5, 0.0])
    assert record.weights[0, 3] == 0.0
    assert record.added.tolist() == [[0.0, 0.0, 0.0, -1e9]]
    assert record.masked[0, 3] == pytest.approx(math.log(8) - 1e9)


@given(squares)
def test_blocked_places_get_nothing_and_the_others_share_the_whole(scores: NDArray[np.float64]) -> None:
    mask = causal_mask(len(scores))
    weights = masked_softmax(scores, mask)
    assert (weights[~mask] == 0).all()
    assert weights.sum(axis=-1) == pytest.approx(np.ones(len(scores)))


@given(squares)
def test_a_blocked_score_does_not_matter(scores: NDArray[np.float64]) -> None:
    mask = causal_mask(len(scores))
    assert np.array_equal(masked_softmax(scores, mask), masked_softmax(np.where(mask, scores, 7.0), mask))


def test_a_row_that_may_look_nowhere_is_all_zero() -> None:
    assert masked_softmax([[1.0, 2.0]], [[False, False]]).tolist() == [[0.0, 0.0]]


def test_rows_do_not_change_when_a_word_is_added() -> None:
    words = ["[START]", "i", "like", "tensorflow"]
    whole = masked_attention(untrained_scores(words), causal_mask(4)).weights
    for length in range(1, 5):
        begun = masked_attention(untrained_scores(words[:length]), causal_mask(length)).weights
        assert whole[:length, :length] == pytest.approx(begun)


def test_scores_can_be_calculated_with() -> None:
    scores = untrained_scores(["a", "b", "a"])
    assert scores.shape == (3, 3)
    assert np.array_equal(scores, scores.round(1))
    assert len(np.unique(scores)) > 3  # the same word elsewhere has other scores: positions are added
