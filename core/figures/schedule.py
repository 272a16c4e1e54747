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
_POINTS = 300  # of a curve, on an even axis, and as many on a logarithmic one
_MAX_TICKS = 6
_LEGEND_ROW = 26  # pixels


@dataclass(frozen=True)
class RunPosition:
    """How far a model's training went on its schedule."""

    schedule: Schedule
    step: int
    total_steps: int  # as planned
    name: str  # of the model

    @property
    def rate(self) -> float:
        """The learning rate at the step."""
        return float(self.schedule.rates(self.step, self.total_steps))


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
    logarithmic: bool
    tick_steps: tuple[int, ...]
    tick_epochs: tuple[float, ...]  # at each of them
    position: tuple[int, float] | None = None  # step and rate at which the last curve's training ended


def schedule_info(
    schedules: Sequence[Schedule],
    total_steps: int,
    epoch_steps: int,
    logarithmic: bool = False,
    position: RunPosition | None = None,
) -> ScheduleInfo:
    """Compute the curves.

    Args:
        schedules: the chosen one first.
        total_steps: 1 or more.
        epoch_steps: steps of one epoch; 1 or more.
        logarithmic: whether both axes are logarithmic.
        position: a model's training, to be drawn too.
    """
    curves = [_curve(name_of(schedule), schedule, total_steps, total_steps) for schedule in schedules]
    reached = None
    if position is not None:
        shown = min(position.total_steps, total_steps)
        curves.append(_curve(position.name, position.schedule, shown, position.total_steps))
        if position.step <= total_steps:
            reached = (position.step, position.rate)
    ticks = _tick_steps(total_steps, logarithmic)
    epochs = tuple(round(step / epoch_steps, 6) for step in ticks)
    return ScheduleInfo(tuple(curves), total_steps, logarithmic, ticks, epochs, reached)


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
    if info.position is not None:
        traces.append(_position_trace(info.position, _COLORS[(len(info.curves) - 1) % len(_COLORS)]))
    layout = {
        "annotations": [_peak_note(info, peak)],
        "xaxis": _step_axis(info),
        "yaxis": {
            "title": {"text": "learning rate"},
            "type": "log" if info.logarithmic else "linear",
            "rangemode": "normal" if info.logarithmic else "tozero",
            "exponentformat": "power" if info.logarithmic else "none",
            "dtick": 1 if info.logarithmic else None,
            "nticks": 7,
        },
        "legend": {"orientation": "v"},
        "margin": {"b": 100 + _LEGEND_ROW * len(info.curves)},
        "showlegend": True,
    }
    return theme.plain_figure(traces, layout, 470 + _LEGEND_ROW * len(info.curves))


def _curve(name: str, schedule: Schedule, shown: int, total_steps: int) -> ScheduleCurve:
    peak = schedule.peak_step(shown)
    steps = _steps(shown, peak)
    rates = schedule.rates(steps, total_steps)
    peak_rate = float(schedule.rates(peak, total_steps))
    return ScheduleCurve(name, tuple(steps.tolist()), tuple(rates.tolist()), peak, peak_rate)


def _steps(total: int, peak: int) -> NDArray[np.int64]:
    """Steps to compute: close enough for either kind of axis, with the first, the last and the peak."""
    even = np.linspace(1, total, min(_POINTS, total))
    powers = np.geomspace(1, total, min(_POINTS, total))
    return np.unique(np.concatenate([even, powers, [1, peak, total]]).round().astype(np.int64))


def _tick_steps(total: int, logarithmic: bool) -> tuple[int, ...]:
    if logarithmic:
        return tuple(10**power for power in range(len(str(total))))
    widths = (factor * 10**power for power in range(9) for factor in (1, 2, 5))
    width = next(width for width in widths if total // width < _MAX_TICKS)
    return tuple(range(0, total + 1, width))


def _step_axis(info: ScheduleInfo) -> dict[str, Any]:
    texts = [
        f"{step:,}<br>{epochs:,.3g}" if epochs < 1000 else f"{step:,}<br>{epochs:,.0f}"
        for step, epochs in zip(info.tick_steps, info.tick_epochs, strict=True)
    ]
    end = float(np.log10(max(info.total_steps, 2))) if info.logarithmic else info.total_steps
    return {
        "type": "log" if info.logarithmic else "linear",
        "range": [0, end * 1.04],
        "tickvals": list(info.tick_steps),
        "ticktext": texts,
        "tickangle": 0,
        "title": {"text": "step, and below it the epoch"},
    }


def _curve_trace(number: int, info: ScheduleInfo) -> Trace:
    curve = info.curves[number]
    return {
        "type": "scatter",
        "x": curve.steps,
        # A logarithmic axis has no 0.
        "y": [rate if rate > 0 or not info.logarithmic else None for rate in curve.rates],
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
    """The peak's name, beside it; on a logarithmic axis, notes are placed by the exponent."""
    left = _place(peak[0], info) < 0.5
    x, y = (float(np.log10(value)) if info.logarithmic else value for value in peak)
    return {
        "text": f"<b>step {peak[0]:,}: {peak[1]:.3g}</b>",
        "x": x,
        "y": y,
        "xanchor": "left" if left else "right",
        "xshift": 12 if left else -12,
        "yshift": 14,
    }


def _position_trace(position: tuple[int, float], color: str) -> Trace:
    """A diamond where the model's training ended; the legend names it."""
    return {
        "type": "scatter", "x": position[:1], "y": position[1:], "mode": "markers",
        "name": f"end of its training: step {position[0]:,}", "cliponaxis": False,
        "marker": {"color": color, "size": 15, "symbol": "diamond"},
        "hovertemplate": "trained to step %{x:,}: %{y:.3g}<extra></extra>",
    }  # fmt: skip


def _place(step: int, info: ScheduleInfo) -> float:
    """How far along the axis a step is, 0 to 1."""
    if info.logarithmic:
        return float(np.log10(step) / np.log10(max(info.total_steps, 2)))
    return step / info.total_steps
