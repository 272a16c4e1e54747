import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.theory.masks import additive, answers_in_sight, causal_mask, decoder_mask, padding_mask

some_ids = arrays(np.int32, st.tuples(st.integers(1, 4), st.integers(1, 8)), elements=st.integers(0, 3))


@given(some_ids)
def test_padding_mask_is_true_exactly_on_real_tokens(ids: NDArray[np.int32]) -> None:
    mask = padding_mask(ids)
    assert mask.shape == (ids.shape[0], 1, 1, ids.shape[1])
    assert mask.dtype == np.bool_
    assert np.array_equal(mask[:, 0, 0], ids != 0)


@given(st.integers(0, 12))
def test_causal_mask_never_shows_the_future(length: int) -> None:
    mask = causal_mask(length)
    assert mask.shape == (length, length)
    for looking in range(length):
        for looked_at in range(length):
            assert mask[looking, looked_at] == (looked_at <= looking)


@given(some_ids)
def test_decoder_mask_needs_both_a_real_token_and_the_past(ids: NDArray[np.int32]) -> None:
    mask = decoder_mask(ids)
    batch, length = ids.shape
    assert mask.shape == (batch, 1, length, length)
    assert np.array_equal(mask, padding_mask(ids) & causal_mask(length)[None, None])


def test_another_pad_id() -> None:
    assert padding_mask([[9, 0, 7]], pad_id=9).tolist() == [[[[False, True, True]]]]
    assert decoder_mask([[9, 0]], pad_id=9).tolist() == [[[[False, False], [False, True]]]]


def test_additive_is_zero_or_minus_a_billion() -> None:
    numbers = additive([[True, False]])
    assert numbers.dtype == np.float32
    assert numbers.tolist() == [[0.0, -1e9]]


def test_blocked_score_has_no_weight_in_float32() -> None:
    assert np.exp(additive([False]) + np.float32(100.0)) == 0.0


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"ids must have the shape \(B, S\)\. Received: \(3,\)"):
        padding_mask([1, 2, 0])
    with pytest.raises(ValueError, match=r"ids must have the shape"):
        decoder_mask([1, 2, 0])
    with pytest.raises(ValueError, match=r"length must be 0 or more\. Received: -1"):
        causal_mask(-1)


BATCH = [[4, 8, 34, 0], [14, 15, 16, 17], [10, 5, 0, 0]]


def test_padding_mask_of_a_batch() -> None:
    assert padding_mask(BATCH).astype(int).tolist() == [[[[1, 1, 1, 0]]], [[[1, 1, 1, 1]]], [[[1, 1, 0, 0]]]]


def test_combined_mask_of_a_batch() -> None:
    assert decoder_mask(BATCH)[:, 0].astype(int).tolist() == [
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0]],
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]],
    ]


def test_answers_in_sight() -> None:
    # Of four positions the first three have their answer one place further on; the last one's is the end.
    assert answers_in_sight(np.ones((4, 4), np.bool_)) == 3
    assert answers_in_sight(causal_mask(4)) == 0
    assert answers_in_sight(causal_mask(1)) == 0
    assert answers_in_sight([[True, True, False], [True, True, False], [True, True, True]]) == 1
