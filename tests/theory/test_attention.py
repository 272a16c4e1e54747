import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.theory.attention import masked_softmax, scaled_dot_product_attention, softmax
from core.theory.masks import causal_mask

numbers = st.floats(-1e4, 1e4)
matrices = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=numbers)


def random_heads(queries: int = 5, keys: int = 7, width: int = 8) -> list[NDArray[np.float64]]:
    """Queries, keys and values of two sentences and three heads."""
    generator = np.random.default_rng(0)
    return [generator.normal(size=(2, 3, length, width)) for length in (queries, keys, keys)]


@given(matrices)
def test_softmax_rows_are_shares(scores: NDArray[np.float64]) -> None:
    shares = softmax(scores)
    assert (shares >= 0).all()
    assert shares.sum(axis=-1) == pytest.approx(np.ones(len(scores)))


@given(matrices, numbers)
def test_softmax_ignores_what_is_added_to_all_scores(scores: NDArray[np.float64], shift: float) -> None:
    assert softmax(scores + shift) == pytest.approx(softmax(scores), abs=1e-9)


def test_softmax_known_values() -> None:
    # By hand: exp(0), exp(ln 2), exp(ln 5) are 1, 2, 5, of 8 in all.
    assert softmax([0.0, math.log(2), math.log(5)]) == pytest.approx([0.125, 0.25, 0.625])
    assert softmax([1000.0, 1000.0]).tolist() == [0.5, 0.5]  # exp(1000) alone would overflow
    # With ln 5 blocked the shares are 1, 2 of 3.
    blocked = masked_softmax([0.0, math.log(2), math.log(5)], [True, True, False])
    assert blocked.tolist() == [pytest.approx(1 / 3), pytest.approx(2 / 3), 0.0]


def test_rows_sum_to_one_and_outputs_lie_between_the_values() -> None:
    queries, keys, values = random_heads()
    output, weights = scaled_dot_product_attention(queries, keys, values)
    assert output.shape == (2, 3, 5, 8)
    assert weights.shape == (2, 3, 5, 7)
    assert np.allclose(weights.sum(axis=-1), 1.0)
    assert (output <= values.max(axis=-2, keepdims=True)).all()
    assert (output >= values.min(axis=-2, keepdims=True)).all()


def test_the_order_of_the_keys_does_not_matter() -> None:
    # Attention alone knows no positions: the reason for section 3.5.
    queries, keys, values = random_heads()
    order = np.random.default_rng(1).permutation(7)
    output, weights = scaled_dot_product_attention(queries, keys, values)
    shuffled_output, shuffled_weights = scaled_dot_product_attention(
        queries, keys[..., order, :], values[..., order, :]
    )
    assert np.allclose(shuffled_output, output)
    assert np.allclose(shuffled_weights, weights[..., order])


def test_masked_weights_are_exactly_zero_and_masked_values_change_nothing() -> None:
    queries, keys, values = random_heads(queries=6, keys=6)
    mask = causal_mask(6)
    output, weights = scaled_dot_product_attention(queries, keys, values, mask)
    assert (weights[..., ~mask] == 0.0).all()
    assert np.allclose(weights.sum(axis=-1), 1.0)
    keys[..., 4:, :] += 3.0
    values[..., 4:, :] -= 5.0
    changed, _ = scaled_dot_product_attention(queries, keys, values, mask)
    assert np.array_equal(changed[..., :4, :], output[..., :4, :])
    assert not np.allclose(changed[..., 4:, :], output[..., 4:, :])


def test_a_row_that_may_look_nowhere_gets_nothing() -> None:
    queries, keys, values = random_heads()
    output, weights = scaled_dot_product_attention(queries, keys, values, np.zeros((5, 7), dtype=bool))
    assert not weights.any()
    assert not output.any()


def test_known_values() -> None:
    # By hand: the scores are 2 ln 3 / sqrt(4) = ln 3 and 0, so the weights are 3/4 and 1/4,
    # and the output 3/4 * 8 + 1/4 * 4 = 7.
    output, weights = scaled_dot_product_attention(
        [[2 * math.log(3), 0, 0, 0]], [[1, 0, 0, 0], [0, 1, 0, 0]], [[8], [4]]
    )
    assert weights.tolist() == [pytest.approx([0.75, 0.25])]
    assert output.tolist() == [pytest.approx([7.0])]


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"equally wide\. Received: 2 and 3"):
        scaled_dot_product_attention(np.ones((1, 2)), np.ones((1, 3)), np.ones((1, 3)))
    with pytest.raises(ValueError, match=r"one value for each key\. Received: 4 keys and 5 values"):
        scaled_dot_product_attention(np.ones((1, 2)), np.ones((4, 2)), np.ones((5, 2)))
