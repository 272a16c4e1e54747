from __future__ import annotations

import math

import pytest

from core.figures.schedule import RunPosition, name_of, schedule_figure, schedule_info
from core.theory.schedule import Schedule
from tests.figures.drawn import drawn

PAPER = Schedule("warmup", d_model=512, warmup_steps=4000)


def test_the_peak_is_marked_with_its_step_and_value() -> None:
    info = schedule_info([PAPER], total_steps=20_000, epoch_steps=810)
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
    position = RunPosition(Schedule("linear"), 50, 100, "a model")
    kept = [Schedule("constant", rate=rate / 10) for rate in range(1, 6)]
    figure = drawn(schedule_figure(schedule_info([PAPER, *kept], 100, 10, position=position)))
    looks = [(line.line.color, line.line.dash) for line in figure.data if line.mode == "lines"]
    assert len(looks) == 7
    assert len(set(looks)) == 7


def test_a_short_training_exactly() -> None:
    # d_model 4, warmup 2: 0.5 * min(step^-0.5, step * 2^-1.5).
    info = schedule_info([Schedule("warmup", 4, 2), Schedule("constant", rate=0.1)], 4, 2)
    assert info.curves[0].steps == (1, 2, 3, 4)
    assert info.curves[0].rates == pytest.approx([0.5 / 2**1.5, 0.5 / 2**0.5, 0.5 / 3**0.5, 0.25])
    assert info.curves[1].rates == (0.1,) * 4
    assert info.curves[1].peak_step == 1
    assert info.tick_steps == (0, 1, 2, 3, 4)
    assert info.tick_epochs == (0.0, 0.5, 1.0, 1.5, 2.0)
    assert info.position is None


def test_epochs_stand_below_the_steps() -> None:
    info = schedule_info([PAPER], 20_000, 810)
    assert info.tick_steps == (0, 5000, 10_000, 15_000, 20_000)
    assert drawn(schedule_figure(info)).layout.xaxis.ticktext[1] == "5,000<br>6.17"
    logarithmic = schedule_info([PAPER], 20_000, 810, logarithmic=True)
    assert logarithmic.tick_steps == (1, 10, 100, 1000, 10_000)


def test_powers_of_ten_have_no_zero() -> None:
    straight = Schedule("linear", warmup_steps=10, rate=0.5)
    position = RunPosition(straight, 100, 100, "Mine")
    info = schedule_info([straight], 1000, 10, logarithmic=True, position=position)
    figure = drawn(schedule_figure(info))
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert figure.layout.annotations[0].x == pytest.approx(1.0)  # the power of step 10
    assert all(rate is None or rate > 0 for trace in figure.data for rate in trace.y)


def test_where_a_model_stood() -> None:
    position = RunPosition(
        Schedule("linear", warmup_steps=100, rate=0.2), step=150, total_steps=199, name="<Mine>"
    )
    info = schedule_info([PAPER], 1000, 10, position=position)
    assert info.curves[-1].steps[-1] == 199  # its own training, no longer
    assert info.position is not None
    assert info.position == pytest.approx((150, 0.1))
    figure = drawn(schedule_figure(info))
    assert figure.data[1].name == "&lt;Mine&gt;"
    assert figure.data[-1].name == "end of its training: step 150"
    assert schedule_info([PAPER], 100, 10, position=position).position is None  # beyond the axis


@pytest.mark.parametrize("kind", ["warmup", "linear", "constant"])
@pytest.mark.parametrize("warmup", [0, 1, 10**7])
@pytest.mark.parametrize("total", [1, 2, 10**7])
@pytest.mark.parametrize("logarithmic", [False, True])
def test_extremes(kind: str, warmup: int, total: int, logarithmic: bool) -> None:
    schedule = Schedule(kind, d_model=1, warmup_steps=warmup, rate=1.0)  # type: ignore[arg-type]
    info = schedule_info([schedule], total, 1, logarithmic)
    assert all(math.isfinite(rate) for rate in info.curves[0].rates)
    assert info.curves[0].peak_rate == max(info.curves[0].rates)
    assert len(info.tick_steps) <= 8
    assert len(info.curves[0].steps) <= 620
    drawn(schedule_figure(info))


def test_names() -> None:
    assert name_of(Schedule("constant", rate=5e-4)) == "constant 0.0005"
    assert name_of(Schedule("linear", warmup_steps=800, rate=1.5e-3)) == "linear, peak 0.0015, warmup 800"
