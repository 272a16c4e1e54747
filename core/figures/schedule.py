"""Learning rates over the steps: several schedules in one picture, the highest rate of each marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.theme import Figure, Trace
from core.theory.schedule import Schedule

_COLORS = (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PURPLE)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")  # not as many as colors: twenty curves differ
_POINTS = 300  # of a curve
_MAX_TICKS = 6
_LEGEND_ROW = 26  # pixels


@dataclass(frozen=True)
class ScheduleCurve:
    """One schedule, step by step."""

    name: str
    steps: tuple[int, ...]
    rates: tuple[float, ...]
    peak_step: int
    peak_rate: float


@dataclass(frozen=True)
class ScheduleInfo:
    """Curves over one axis of steps."""

    curves: tuple[ScheduleCurve, ...]  # the first is the chosen one
    total_steps: int  # where the axis ends
    tick_steps: tuple[int, ...]


def schedule_info(schedules: Sequence[Schedule], total_steps: int) -> ScheduleInfo:
    """Compute the curves.

    Args:
        schedules: the chosen one first.
        total_steps: 1 or more.
    """
    curves = tuple(_curve(schedule, total_steps) for schedule in schedules)
    return ScheduleInfo(curves, total_steps, _tick_steps(total_steps))


def name_of(schedule: Schedule) -> str:
    """A schedule in a few words."""
    if schedule.kind == "constant":
        return f"constant {schedule.rate:g}"
    if schedule.kind == "linear":
        return f"linear, peak {schedule.rate:g}, warmup {schedule.warmup_steps:,}"
    return f"paper, d_model {schedule.d_model:,}, warmup {schedule.warmup_steps:,}"


def schedule_figure(info: ScheduleInfo) -> Figure:
    """Draw the curves; the chosen one is thick and its peak has a name."""
    traces = [_curve_trace(number, info) for number in range(len(info.curves))]
    chosen = info.curves[0]
    peak = (chosen.peak_step, chosen.peak_rate)
    traces.append(
        {
            "type": "scatter", "x": peak[:1], "y": peak[1:], "mode": "markers", "showlegend": False,
            "hoverinfo": "skip", "marker": {"color": _COLORS[0], "size": 14}, "cliponaxis": False,
        }
    )  # fmt: skip
    layout = {
        "annotations": [_peak_note(info, peak)],
        "xaxis": _step_axis(info),
        "yaxis": {
            "title": {"text": "learning rate"},
            "rangemode": "tozero",
            "exponentformat": "none",
            "nticks": 7,
        },
        "legend": {"orientation": "v"},
        "margin": {"b": 100 + _LEGEND_ROW * len(info.curves)},
        "showlegend": True,
    }
    return theme.plain_figure(traces, layout, 470 + _LEGEND_ROW * len(info.curves))


def _curve(schedule: Schedule, total_steps: int) -> ScheduleCurve:
    peak = schedule.peak_step(total_steps)
    steps = _steps(total_steps, peak)
    rates = schedule.rates(steps, total_steps)
    peak_rate = float(schedule.rates(peak, total_steps))
    return ScheduleCurve(name_of(schedule), tuple(steps.tolist()), tuple(rates.tolist()), peak, peak_rate)


def _steps(total: int, peak: int) -> NDArray[np.int64]:
    """Steps to compute, with the first, the last and the peak."""
    even = np.linspace(1, total, min(_POINTS, total))
    return np.unique(np.concatenate([even, [1, peak, total]]).round().astype(np.int64))


def _tick_steps(total: int) -> tuple[int, ...]:
    widths = (factor * 10**power for power in range(9) for factor in (1, 2, 5))
    width = next(width for width in widths if total // width < _MAX_TICKS)
    return tuple(range(0, total + 1, width))


def _step_axis(info: ScheduleInfo) -> dict[str, Any]:
    return {
        "range": [0, info.total_steps * 1.04],
        "tickvals": list(info.tick_steps),
        "ticktext": [f"{step:,}" for step in info.tick_steps],
        "tickangle": 0,
        "title": {"text": "step"},
    }


def _curve_trace(number: int, info: ScheduleInfo) -> Trace:
    curve = info.curves[number]
    return {
        "type": "scatter",
        "x": curve.steps,
        "y": curve.rates,
        "name": theme.escaped(curve.name),
        "mode": "lines" if len(curve.steps) > 1 else "lines+markers",
        "line": {
            "color": _COLORS[number % len(_COLORS)],
            "width": 4 if number == 0 else 2.5,
            "dash": _DASHES[number % len(_DASHES)],
        },
        "hovertemplate": "step %{x:,}: %{y:.3g}<extra></extra>",
    }


def _peak_note(info: ScheduleInfo, peak: tuple[int, float]) -> dict[str, Any]:
    """The peak's name, beside it."""
    left = peak[0] / info.total_steps < 0.5
    x, y = peak
    return {
        "text": f"<b>step {peak[0]:,}: {peak[1]:.3g}</b>",
        "x": x,
        "y": y,
        "xanchor": "left" if left else "right",
        "xshift": 12 if left else -12,
        "yshift": 14,
    }
