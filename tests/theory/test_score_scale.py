import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.theory.attention import softmax
from core.theory.score_scale import entropy, score_scale


def test_entropy_by_hand() -> None:
    # A fair coin 1 bit, four of a kind 2 bits, certainty 0; 3/4 and 1/4: 2 - 0.75 log2 3 = 0.811278.
    assert entropy([0.5, 0.5]) == pytest.approx(1.0)
    assert entropy([0.25] * 4) == pytest.approx(2.0)
    assert entropy([[1.0, 0.0], [0.75, 0.25]]) == pytest.approx([0.0, 0.811278], abs=1e-6)


@given(arrays(np.float64, (3, 5), elements=st.floats(-700, 700)))
def test_entropy_lies_between_certainty_and_evenness(scores: NDArray[np.float64]) -> None:
    bits = entropy(softmax(scores))
    assert (bits >= 0).all()
    assert (bits <= np.log2(5) + 1e-9).all()


@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
def test_scores_spread_with_the_root_of_the_width(d_k: int) -> None:
    # Footnote 4: a sum of d_k products of variance 1 has variance d_k.
    assert score_scale(d_k).spread == pytest.approx(d_k**0.5, rel=0.15)


def test_scaling_keeps_the_softmax_open() -> None:
    scales = [score_scale(d_k) for d_k in (1, 16, 256, 1024)]
    assert scales[0].raw_entropy == scales[0].scaled_entropy  # sqrt(1) divides nothing
    assert all(scale.scaled_entropy > 2.3 for scale in scales)  # of at most log2(8) = 3
    raw = [scale.raw_entropy for scale in scales]
    assert raw == sorted(raw, reverse=True)
    assert raw[-1] < 0.2
