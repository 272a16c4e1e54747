import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.schedule import Schedule, linear_rate, peak_rate, warmup_rate


@given(st.integers(1, 1024), st.integers(1, 5000))
def test_the_peak_is_at_the_end_of_the_warmup(d_model: int, warmup_steps: int) -> None:
    steps = np.arange(1, 2 * warmup_steps + 2)
    rates = warmup_rate(steps, d_model, warmup_steps)
    assert steps[rates.argmax()] == pytest.approx(warmup_steps, abs=1)
    # Both branches of the minimum meet at the peak: 1 / sqrt(d_model * warmup_steps).
    assert rates.max() == pytest.approx((d_model * warmup_steps) ** -0.5)


def test_known_values_of_the_base_model() -> None:
    # By hand, d_model 512, warmup 4000 (section 5.3): 512^-0.5 = 0.0441942, 4000^-1.5 = 3.95285e-6;
    # step 1: 0.0441942 * 3.95285e-6 = 1.74693e-7; step 4000: 0.0441942 / 63.2456 = 6.98771e-4;
    # step 16000: half of that.
    assert warmup_rate([1, 4000, 16000], 512, 4000) == pytest.approx(
        [1.74693e-7, 6.98771e-4, 3.493856e-4], rel=1e-5
    )
    assert peak_rate(512, 4000) == pytest.approx(6.98771e-4, rel=1e-5)


def test_schedules_have_their_rates_and_peaks() -> None:
    steps = [1, 3, 9]
    assert np.array_equal(Schedule("warmup", 64, 3).rates(steps, 9), warmup_rate(steps, 64, 3))
    assert np.array_equal(Schedule("linear", 64, 3, 0.5).rates(steps, 9), linear_rate(steps, 0.5, 3, 9))
    assert Schedule("constant", rate=0.5).rates(steps, 9).tolist() == [0.5] * 3
    assert [Schedule(kind, 64, 3).peak_step(9) for kind in ("warmup", "linear", "constant")] == [3, 3, 1]
    assert Schedule("warmup", 64, 30).peak_step(9) == 9  # the training ends before
    assert Schedule("warmup", 64, 0).rates([1, 4], 9) == pytest.approx([1 / 8, 1 / 16])  # starts at the top
