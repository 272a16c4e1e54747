from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.attention import scaled_dot_product_attention
from core.theory.attention_steps import attention_steps, concatenate_heads, multi_head_steps, split_heads


def test_the_scalar_example_by_hand() -> None:
    """Three numbers, W_Q = 1, W_K = 2, W_V = 10, all of it done on paper.

    x = 0, 1, 2
    q = x * 1 = 0, 1, 2;  k = x * 2 = 0, 2, 4;  v = x * 10 = 0, 10, 20
    scores q_i k_j:       row 1: 0 0 0;  row 2: 0 2 4;  row 3: 0 4 8
    divided by sqrt(1):   the same
    softmax, with a = e^2 = 7.389056 and b = e^4 = 54.598150 and c = e^8 = 2980.957987:
      row 1: 1/3, 1/3, 1/3
      row 2: 1, a, b over 1 + a + b = 62.987206:      0.015876, 0.117310, 0.866814
      row 3: 1, b, c over 1 + b + c = 3036.556137:    0.000329, 0.017980, 0.981690
    outputs, each row times 0, 10, 20:
      row 1: 30/3 = 10
      row 2: 1.173104 + 17.336280 = 18.509383
      row 3: 0.179803 + 19.633808 = 19.813612
    """
    steps = attention_steps([[0], [1], [2]], [[1]], [[2]], [[10]])
    assert steps.queries.tolist() == [[0], [1], [2]]
    assert steps.keys.tolist() == [[0], [2], [4]]
    assert steps.values.tolist() == [[0], [10], [20]]
    assert steps.scores.tolist() == steps.scaled.tolist() == [[0, 0, 0], [0, 2, 4], [0, 4, 8]]
    assert steps.weights == pytest.approx(
        np.array([[1 / 3] * 3, [0.015876, 0.117310, 0.866814], [0.000329, 0.017980, 0.981690]]), abs=1e-6
    )
    assert steps.outputs == pytest.approx(np.array([[10], [18.509383], [19.813612]]), abs=1e-4)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 9))
def test_it_is_the_attention_of_equation_1(length: int, width: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    words, *kernels = random.normal(size=(length, width)), *random.normal(size=(3, width, width))
    steps = attention_steps(words, *kernels)
    outputs, weights = scaled_dot_product_attention(*(words @ kernel for kernel in kernels))
    assert np.allclose(steps.outputs, outputs)
    assert np.allclose(steps.weights, weights)
    assert np.allclose(steps.scaled * math.sqrt(width), steps.scores)


def test_huge_numbers_stay_finite() -> None:
    steps = attention_steps([[1e9], [-1e9], [1.0]], [[1e9]], [[1e9]], [[1e9]])
    assert np.isfinite(steps.outputs).all()
    assert steps.weights.sum(axis=-1).tolist() == [1.0, 1.0, 1.0]


@given(st.integers(1, 4), st.sampled_from([1, 2, 4]))
def test_splitting_and_concatenating_are_opposites(length: int, num_heads: int) -> None:
    array = np.arange(length * 4.0).reshape(length, 4)
    heads = split_heads(array, num_heads)
    assert heads.shape == (num_heads, length, 4 // num_heads)
    assert heads[0, 0].tolist() == array[0, : 4 // num_heads].tolist()  # neighbours stay together
    assert np.array_equal(concatenate_heads(heads), array)


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_each_head_attends_by_itself(num_heads: int) -> None:
    random = np.random.default_rng(1)
    words, kernels = random.normal(size=(3, 4)), random.normal(size=(4, 4, 4))
    steps = multi_head_steps(words, kernels, num_heads)
    assert steps.num_heads == num_heads
    width = 4 // num_heads
    for head in range(num_heads):
        part = slice(head * width, (head + 1) * width)
        outputs, weights = scaled_dot_product_attention(*(words @ kernel[:, part] for kernel in kernels[:3]))
        assert np.allclose(steps.weights[head], weights)
        assert np.allclose(steps.concatenated[:, part], outputs)
    assert np.allclose(steps.mixed, steps.concatenated @ kernels[3])


def test_a_width_that_heads_cannot_share() -> None:
    with pytest.raises(ValueError, match=r"divisible by the heads\. Received: width 4, 3 heads"):
        split_heads(np.zeros((2, 4)), 3)
