from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.figures.training import MAX_POINTS, name_of, schedule_figure, training_curves_figure
from core.records import EpochReport, StepReport
from core.theory.schedule import Schedule
from tests.figures.drawn import drawn

PAPER = Schedule("warmup", d_model=512, warmup_steps=4000)


def reports(count: int, steps_an_epoch: int = 2) -> list[StepReport]:
    return [
        StepReport(step, (step - 1) // steps_an_epoch + 1, 4.0 / step, step / count, 0.001, False)
        for step in range(1, count + 1)
    ]


def epochs(count: int, steps_an_epoch: int = 2) -> list[EpochReport]:
    """Those that so many steps finish."""
    return [
        EpochReport(number, number * steps_an_epoch, 8.0 / number, number / 100, 0.001, 1.0)
        for number in range(1, count // steps_an_epoch + 1)
    ]


def test_each_measure_has_a_panel_over_one_axis_of_steps() -> None:
    figure = drawn(training_curves_figure(reports(40), epochs(40)))
    assert [trace.yaxis for trace in figure.data] == ["y", "y", "y2", "y2", "y3"]
    assert {trace.xaxis for trace in figure.data} == {"x"}
    assert figure.data[0].y == tuple(4.0 / step for step in range(1, 41))
    assert figure.data[1].x == tuple(range(2, 41, 2))
    assert figure.data[2].y == tuple(step / 40 for step in range(1, 41))
    assert figure.data[4].y == (0.001,) * 40
    assert figure.data[0].customdata[:4] == (1, 1, 2, 2)  # epochs
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False, False]


def test_long_runs_are_thinned() -> None:
    steps, means, *_ = drawn(training_curves_figure(reports(10_000, 10), epochs(10_000, 10))).data
    assert len(steps.x) == len(means.x) == MAX_POINTS
    assert (steps.x[0], steps.x[-1], means.x[0], means.x[-1]) == (1, 10_000, 10, 10_000)
    assert list(steps.x) == sorted(set(steps.x))


def test_held_out_pairs_and_the_training_before_have_lines_of_their_own() -> None:
    judged = [replace(epoch, validation_loss=2.0, validation_accuracy=0.25) for epoch in epochs(4)]
    figure = drawn(training_curves_figure(reports(4), judged, epochs(2)))
    lines = {(trace.name, trace.yaxis): trace for trace in figure.data}
    assert lines["held-out pairs", "y"].y == (2.0, 2.0)
    assert lines["held-out pairs", "y2"].y == (0.25, 0.25)
    assert lines["the previous training", "y"].y == (8.0,)
    assert len({trace.line.dash for trace in figure.data if trace.yaxis == "y"}) == 3


def test_one_step_is_visible_and_a_live_redraw_keeps_the_zoom() -> None:
    early, late = (drawn(training_curves_figure(reports(count), epochs(count))) for count in (1, 8))
    assert early.data[0].mode == "lines+markers"
    assert early.layout.uirevision == late.layout.uirevision is not None
    assert early.layout.height == late.layout.height


def test_a_schedule_has_its_peak_marked() -> None:
    curve, peak = drawn(schedule_figure([PAPER], total_steps=20_000)).data
    assert (curve.x[0], curve.x[-1]) == (1, 20_000)
    assert (peak.x, peak.y) == ((4000,), (pytest.approx((512 * 4000) ** -0.5),))
    assert max(curve.y) == peak.y[0]
    figure = drawn(schedule_figure([PAPER], total_steps=20_000))
    assert figure.layout.annotations[0].text == "<b>step 4,000: 0.000699</b>"


def test_a_short_training_exactly() -> None:
    # d_model 4, warmup 2: 0.5 * min(step^-0.5, step * 2^-1.5).
    first, second, _ = drawn(
        schedule_figure([Schedule("warmup", 4, 2), Schedule("constant", rate=0.1)], 4)
    ).data
    assert first.x == (1, 2, 3, 4)
    assert first.y == pytest.approx([0.5 / 2**1.5, 0.5 / 2**0.5, 0.5 / 3**0.5, 0.25])
    assert second.y == (0.1,) * 4


def test_no_two_schedules_look_alike() -> None:
    kept = [Schedule("constant", rate=rate / 10) for rate in range(1, 6)]
    *lines, _ = drawn(schedule_figure([PAPER, *kept], 100)).data
    assert len({(line.line.color, line.line.dash) for line in lines}) == 6


@pytest.mark.parametrize("kind", ["warmup", "linear", "constant"])
@pytest.mark.parametrize("warmup", [0, 10**7])
@pytest.mark.parametrize("total", [1, 10**7])
def test_extremes(kind: str, warmup: int, total: int) -> None:
    schedule = Schedule(kind, d_model=1, warmup_steps=warmup, rate=1.0)  # type: ignore[arg-type]
    curve, peak = drawn(schedule_figure([schedule], total)).data
    assert all(math.isfinite(rate) for rate in curve.y)
    assert peak.y[0] == np.max(curve.y)
    assert len(curve.x) <= 303


def test_names() -> None:
    assert name_of(PAPER) == "paper, d_model 512, warmup 4,000"
    assert name_of(Schedule("constant", rate=5e-4)) == "constant 0.0005"
    assert name_of(Schedule("linear", warmup_steps=800, rate=1.5e-3)) == "linear, peak 0.0015, warmup 800"
