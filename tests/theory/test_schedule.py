import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from core.theory.schedule import warmup_rate


@given(st.integers(1, 1024), st.integers(1, 5000))
def test_the_peak_is_at_the_end_of_the_warmup(d_model: int, warmup_steps: int) -> None:
    steps = np.arange(1, 2 * warmup_steps + 2)
    rates = warmup_rate(steps, d_model, warmup_steps)
    assert steps[rates.argmax()] == pytest.approx(warmup_steps, abs=1)
    # Both branches of the minimum meet at the peak: 1 / sqrt(d_model * warmup_steps).
    assert rates.max() == pytest.approx((d_model * warmup_steps) ** -0.5)


def test_the_growth_is_a_straight_line_and_the_fall_a_root() -> None:
    rates = warmup_rate([1, 2, 3, 100, 400], d_model=64, warmup_steps=100)
    assert np.diff(rates[:3]) == pytest.approx([rates[0], rates[0]])
    assert rates[4] == pytest.approx(rates[3] / 2)  # four times the steps, half the rate


def test_known_values_of_the_base_model() -> None:
    # By hand, d_model 512, warmup 4000 (section 5.3): 512^-0.5 = 0.0441942, 4000^-1.5 = 3.95285e-6;
    # step 1: 0.0441942 * 3.95285e-6 = 1.74693e-7; step 4000: 0.0441942 / 63.2456 = 6.98771e-4;
    # step 16000: half of that.
    assert warmup_rate([1, 4000, 16000], 512, 4000) == pytest.approx(
        [1.74693e-7, 6.98771e-4, 3.493856e-4], rel=1e-5
    )


def test_shape_and_type_follow_the_steps() -> None:
    assert warmup_rate(3, 64, 10).shape == ()
    assert warmup_rate([[1, 2]], 64, 10).shape == (1, 2)
    assert warmup_rate([], 64, 10).shape == (0,)
    assert warmup_rate(3, 64, 10).dtype == np.float64


@pytest.mark.parametrize(
    ("step", "d_model", "warmup_steps", "words"),
    [
        ([0, 1], 64, 10, r"step must be 1 or more\. Received: 0"),
        (1, 0, 10, r"d_model must be 1 or more\. Received: 0"),
        (1, 64, 0, r"warmup_steps must be 1 or more\. Received: 0"),
    ],
)
def test_values_out_of_range_are_refused(
    step: ArrayLike, d_model: int, warmup_steps: int, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        warmup_rate(step, d_model, warmup_steps)
