from __future__ import annotations

import math

import pytest

from core.figures.schedule import name_of, schedule_figure, schedule_info
from core.theory.schedule import Schedule
from tests.figures.drawn import drawn

PAPER = Schedule("warmup", d_model=512, warmup_steps=4000)


def test_the_peak_is_marked_with_its_step_and_value() -> None:
    info = schedule_info([PAPER], total_steps=20_000)
    curve = info.curves[0]
    assert (curve.name, curve.peak_step) == ("paper, d_model 512, warmup 4,000", 4000)
    assert curve.peak_rate == pytest.approx((512 * 4000) ** -0.5)
    assert max(curve.rates) == curve.peak_rate
    assert (curve.steps[0], curve.steps[-1]) == (1, 20_000)
    assert 4000 in curve.steps
    figure = drawn(schedule_figure(info))
    assert figure.layout.annotations[0].text == "<b>step 4,000: 0.000699</b>"
    assert (figure.data[1].x, figure.data[1].y) == ((4000,), (curve.peak_rate,))


def test_no_two_curves_look_alike() -> None:
    kept = [Schedule("constant", rate=rate / 10) for rate in range(1, 6)]
    figure = drawn(schedule_figure(schedule_info([PAPER, *kept], 100)))
    looks = [(line.line.color, line.line.dash) for line in figure.data if line.mode == "lines"]
    assert len(looks) == 6
    assert len(set(looks)) == 6


def test_a_short_training_exactly() -> None:
    # d_model 4, warmup 2: 0.5 * min(step^-0.5, step * 2^-1.5).
    info = schedule_info([Schedule("warmup", 4, 2), Schedule("constant", rate=0.1)], 4)
    assert info.curves[0].steps == (1, 2, 3, 4)
    assert info.curves[0].rates == pytest.approx([0.5 / 2**1.5, 0.5 / 2**0.5, 0.5 / 3**0.5, 0.25])
    assert info.curves[1].rates == (0.1,) * 4
    assert info.curves[1].peak_step == 1
    assert info.tick_steps == (0, 1, 2, 3, 4)


@pytest.mark.parametrize("kind", ["warmup", "linear", "constant"])
@pytest.mark.parametrize("warmup", [0, 1, 10**7])
@pytest.mark.parametrize("total", [1, 2, 10**7])
def test_extremes(kind: str, warmup: int, total: int) -> None:
    schedule = Schedule(kind, d_model=1, warmup_steps=warmup, rate=1.0)  # type: ignore[arg-type]
    info = schedule_info([schedule], total)
    assert all(math.isfinite(rate) for rate in info.curves[0].rates)
    assert info.curves[0].peak_rate == max(info.curves[0].rates)
    assert len(info.tick_steps) <= 8
    assert len(info.curves[0].steps) <= 620
    drawn(schedule_figure(info))


def test_names() -> None:
    assert name_of(Schedule("constant", rate=5e-4)) == "constant 0.0005"
    assert name_of(Schedule("linear", warmup_steps=800, rate=1.5e-3)) == "linear, peak 0.0015, warmup 800"
