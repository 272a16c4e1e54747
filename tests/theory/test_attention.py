"""Attention: its formula, all its steps, and an untrained head."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.model.forward import causal_mask, join_heads, scaled_dot_product_attention, split_heads
from core.model.numpy_ops import softmax
from core.theory.attention_steps import attention_steps, multi_head_steps
from core.theory.fuzzy_dictionary import ENTRIES, fuzzy_look_up
from core.theory.score_scale import entropy, score_scale
from core.theory.untrained_head import run_untrained_head, shuffled_order, untrained_scores

numbers = st.floats(-1e4, 1e4)
matrices = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=numbers)
sentences = st.lists(st.sampled_from(["je", "ne", "comprends", "pas", "pas"]), min_size=1, max_size=8)
SENTENCE = ["the", "dog", "bites", "the", "man"]


def random_heads(queries: int = 5, keys: int = 7, width: int = 8) -> list[NDArray[np.float64]]:
    """Queries, keys and values of two sentences and three heads."""
    generator = np.random.default_rng(0)
    return [generator.normal(size=(2, 3, length, width)) for length in (queries, keys, keys)]


@given(matrices, numbers)
def test_softmax_rows_are_shares_whatever_is_added_to_all_scores(
    scores: NDArray[np.float64], shift: float
) -> None:
    shares = softmax(scores)
    assert (shares >= 0).all()
    assert shares.sum(axis=-1) == pytest.approx(np.ones(len(scores)))
    assert softmax(scores + shift) == pytest.approx(shares, abs=1e-9)


def test_softmax_known_values() -> None:
    # By hand: exp(0), exp(ln 2), exp(ln 5) are 1, 2, 5, of 8 in all.
    assert softmax([0.0, math.log(2), math.log(5)]) == pytest.approx([0.125, 0.25, 0.625])
    assert softmax([1000.0, 1000.0]).tolist() == [0.5, 0.5]  # exp(1000) alone would overflow
    # With ln 5 blocked the shares are 1, 2 of 3.
    blocked = softmax([0.0, math.log(2), math.log(5)], [True, True, False])
    assert blocked.tolist() == [pytest.approx(1 / 3), pytest.approx(2 / 3), 0.0]


def test_attention_known_values() -> None:
    # By hand: the scores are 2 ln 3 / sqrt(4) = ln 3 and 0, so the weights are 3/4 and 1/4,
    # and the output 3/4 * 8 + 1/4 * 4 = 7.
    output, weights = scaled_dot_product_attention(
        np.array([[2 * math.log(3), 0, 0, 0]]), np.array([[1, 0, 0, 0], [0, 1, 0, 0]]), np.array([[8], [4]])
    )
    assert weights.tolist() == [pytest.approx([0.75, 0.25])]
    assert output.tolist() == [pytest.approx([7.0])]


def test_rows_sum_to_one_and_the_order_of_the_keys_does_not_matter() -> None:
    """Attention alone ignores positions: the reason for section 3.5."""
    queries, keys, values = random_heads()
    order = np.random.default_rng(1).permutation(7)
    output, weights = scaled_dot_product_attention(queries, keys, values)
    assert (output.shape, weights.shape) == ((2, 3, 5, 8), (2, 3, 5, 7))
    assert np.allclose(weights.sum(axis=-1), 1.0)
    shuffled = scaled_dot_product_attention(queries, keys[..., order, :], values[..., order, :])
    assert np.allclose(shuffled[0], output)
    assert np.allclose(shuffled[1], weights[..., order])


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
    nowhere, _ = scaled_dot_product_attention(queries, keys, values, np.zeros((6, 6), dtype=bool))
    assert not nowhere.any()


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


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_each_head_attends_by_itself(num_heads: int) -> None:
    random = np.random.default_rng(1)
    words, kernels = random.normal(size=(3, 4)), random.normal(size=(4, 4, 4))
    assert np.array_equal(join_heads(split_heads(words, num_heads)), words)
    steps = multi_head_steps(words, kernels, num_heads)
    width = 4 // num_heads
    for head in range(num_heads):
        part = slice(head * width, (head + 1) * width)
        alone = attention_steps(words, *(kernel[:, part] for kernel in kernels[:3]))
        outputs, weights = scaled_dot_product_attention(alone.queries, alone.keys, alone.values)
        assert np.allclose(steps.weights[head], weights)
        assert np.allclose(alone.weights, weights)
        assert np.allclose(steps.concatenated[:, part], outputs)
        assert np.allclose(alone.outputs, outputs)
    assert np.allclose(steps.mixed, steps.concatenated @ kernels[3])


def test_a_soft_dictionary_by_hand() -> None:
    # The scores are the cosines of the angles to the keys, times 3 / sqrt 2.
    above = [math.exp(3 / math.sqrt(2) * math.cos(math.radians(entry.degrees - 72))) for entry in ENTRIES]
    weights, answer = fuzzy_look_up(72, 3)
    assert weights == pytest.approx([each / sum(above) for each in above])
    assert answer == pytest.approx(sum(w * entry.value for w, entry in zip(weights, ENTRIES, strict=True)))
    assert fuzzy_look_up(72, 0)[0] == pytest.approx([0.25] * 4)
    assert fuzzy_look_up(84, 1000)[0] == pytest.approx([0, 0, 0, 1])  # only the nearest


def test_entropy_by_hand() -> None:
    # A fair coin 1 bit, four of a kind 2 bits, certainty 0; 3/4 and 1/4: 2 - 0.75 log2 3 = 0.811278.
    assert entropy([0.5, 0.5]) == pytest.approx(1.0)
    assert entropy([0.25] * 4) == pytest.approx(2.0)
    assert entropy([[1.0, 0.0], [0.75, 0.25]]) == pytest.approx([0.0, 0.811278], abs=1e-6)


def test_scores_spread_with_the_root_of_the_width_and_scaling_keeps_the_softmax_open() -> None:
    """Footnote 4: a sum of d_k products of variance 1 has variance d_k."""
    scales = [score_scale(d_k) for d_k in (1, 16, 256, 1024)]
    assert [scale.spread for scale in scales] == pytest.approx([1, 4, 16, 32], rel=0.15)
    assert all(scale.scaled.entropy > 2.3 for scale in scales)  # of at most log2(8) = 3
    raw = [scale.raw.entropy for scale in scales]
    assert raw == sorted(raw, reverse=True)
    assert raw[-1] < 0.2


@given(sentences, st.integers(0, 30))
def test_without_positions_the_order_changes_nothing(words: list[str], shuffle: int) -> None:
    order = shuffled_order(len(words), shuffle)
    assert sorted(order) == list(range(len(words)))
    assert (order == tuple(range(len(words)))) == (shuffle == 0 or len(words) < 2)
    written = run_untrained_head(words, range(len(words)), with_positions=False)
    for one, other in zip(written, run_untrained_head(words, order, with_positions=False), strict=True):
        assert np.allclose(one, other, atol=1e-12)


def test_only_positions_tell_orders_and_repeated_words_apart() -> None:
    order = shuffled_order(5, 1)
    assert [SENTENCE[place] for place in order] == ["the", "man", "bites", "the", "dog"]
    for with_positions in (False, True):
        written, _ = run_untrained_head(SENTENCE, range(5), with_positions)
        shuffled, _ = run_untrained_head(SENTENCE, order, with_positions)
        assert (np.abs(written - shuffled).max() > 0.1) == with_positions
        assert np.allclose(written[0], written[3]) != with_positions  # both "the"


def test_rows_do_not_change_when_a_word_is_added() -> None:
    words = ["[START]", "i", "like", "tensorflow"]
    scores = untrained_scores(words)
    assert np.array_equal(scores, scores.round(1))
    whole = softmax(scores, causal_mask(4))
    for length in range(1, 5):
        begun = softmax(untrained_scores(words[:length]), causal_mask(length))
        assert whole[:length, :length] == pytest.approx(begun)
