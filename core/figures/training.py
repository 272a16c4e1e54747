"""A training over its steps: loss, accuracy and learning rate as they were, and schedules to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from core.figures import theme
from core.figures.lines import LinePanel, line, named_point, stacked_figure
from core.figures.theme import Figure, Trace
from core.records import EpochReport, StepReport
from core.theory.schedule import Schedule

Report = TypeVar("Report", StepReport, EpochReport)

MAX_POINTS = 500  # of one line: more cannot be distinguished and slow down a live redraw

# More epochs than this are a line; fewer are shown as points on it too.
_EPOCHS_WITH_MARKERS = 30
_REVISION = "training curves"  # the same in every redraw

_COLORS = (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PURPLE)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")  # not as many as colors: twenty curves differ
_SCHEDULE_POINTS = 300
_LEGEND_ROW = 26  # pixels


def training_curves_figure(
    steps: Sequence[StepReport], epochs: Sequence[EpochReport], before: Sequence[EpochReport] = ()
) -> Figure:
    """Draw three panels one above the other, which share the step axis and fit a phone.

    Zoom and hidden lines survive a redraw with more steps.

    Args:
        steps: of all steps or of some, in order; one or more.
        epochs: the finished ones, in order.
        before: those of another training, to compare with.
    """
    steps, epochs, before = _thinned(steps), _thinned(epochs), _thinned(before)
    rate = _curve(steps, "learning_rate", "learning rate", theme.VERMILLION, "%{y:.3~g}", width=2.5)
    y_axis = {"nticks": 5, "rangemode": "tozero"}
    panels = [
        LinePanel(
            "Loss (nats per token)", _measure(steps, epochs, before, "loss", theme.BLUE, "%{y:.4f}"), y_axis
        ),
        LinePanel(
            "Masked accuracy (next token right)",
            _measure(steps, epochs, before, "accuracy", theme.GREEN, "%{y:.1%}"),
            {**y_axis, "range": [0, 1.02], "tickformat": ".0%"},
        ),
        LinePanel("Learning rate", [{**rate, "showlegend": False}], {**y_axis, "tickformat": "~g"}),
    ]
    x_axis = {"tickformat": ",d", "nticks": 6, "title": {"text": "step"}}
    # Below, the step axis, its title and the legend.
    return stacked_figure(panels, 660, 0.25, x_axis, {"margin": {"b": 84}, "uirevision": _REVISION})


def _measure(
    steps: Sequence[StepReport],
    epochs: Sequence[EpochReport],
    before: Sequence[EpochReport],
    measure: str,
    color: str,
    value: str,
) -> list[Trace]:
    """Draw a panel: a thin line for the steps, a thick one for the epochs, those of held-out pairs and of before."""
    few = len(epochs) <= _EPOCHS_WITH_MARKERS
    traces = [
        {**_curve(steps, measure, "each step", color, value, width=1), "opacity": 0.6},
        _curve(epochs, measure, "mean of an epoch", color, value, width=3, markers=few),
    ]
    held_out = f"validation_{measure}"
    if epochs and all(getattr(epoch, held_out) is not None for epoch in epochs):
        look: dict[str, Any] = {"width": 3, "dash": "dash", "markers": few}
        traces.append(_curve(epochs, held_out, "held-out pairs", theme.PURPLE, value, **look))
    if before:
        traces.append(
            _curve(before, measure, "the previous training", theme.GREY, value, width=2, dash="dot")
        )
    return traces


def _curve(
    reports: Sequence[StepReport] | Sequence[EpochReport],
    measure: str,
    name: str,
    color: str,
    value: str,
    **look: Any,
) -> Trace:
    """Draw one field of reports over their steps; `value` is how the hover text writes it."""
    trace = line(
        [report.step for report in reports],
        [getattr(report, measure) for report in reports],
        name,
        color,
        f"{name}: {value}<br>step %{{x}}, epoch %{{customdata}}",
        **look,
    )
    return {**trace, "customdata": [report.epoch for report in reports]}


def _thinned(items: Sequence[Report]) -> Sequence[Report]:
    """Return at most MAX_POINTS of the items, evenly spread, the first and the last among them."""
    if len(items) <= MAX_POINTS:
        return items
    return [items[index] for index in np.linspace(0, len(items) - 1, MAX_POINTS).round().astype(int)]


def name_of(schedule: Schedule) -> str:
    """Return a schedule in a few words."""
    if schedule.kind == "constant":
        return f"constant {schedule.rate:g}"
    if schedule.kind == "linear":
        return f"linear, peak {schedule.rate:g}, warmup {schedule.warmup_steps:,}"
    return f"paper, d_model {schedule.d_model:,}, warmup {schedule.warmup_steps:,}"


def schedule_figure(schedules: Sequence[Schedule], total_steps: int) -> Figure:
    """Draw learning rates over the steps; the chosen curve is thick and its peak has a name.

    Args:
        schedules: the chosen one first.
        total_steps: 1 or more.
    """
    curves = [_schedule(number, schedule, total_steps) for number, schedule in enumerate(schedules)]
    x = schedules[0].peak_step(total_steps)
    y = float(schedules[0].rates(x, total_steps))
    peak, note = named_point(x, y, f"<b>step {x:,}: {y:.3g}</b>", _COLORS[0], left=x >= total_steps / 2)
    layout = {
        "annotations": [note],
        "xaxis": {
            "range": [0, total_steps * 1.04],
            "tickformat": ",d",
            "nticks": 6,
            "tickangle": 0,
            "title": {"text": "step"},
        },
        "yaxis": {
            "title": {"text": "learning rate"},
            "rangemode": "tozero",
            "exponentformat": "none",
            "nticks": 7,
        },
        "legend": {"orientation": "v"},
        "margin": {"b": 100 + _LEGEND_ROW * len(curves)},
        "showlegend": True,
    }
    return theme.plain_figure([*curves, peak], layout, 470 + _LEGEND_ROW * len(curves))


def _schedule(number: int, schedule: Schedule, total: int) -> Trace:
    """Draw a schedule at evenly spread steps and at the first, the last and the peak."""
    even = np.linspace(1, total, min(_SCHEDULE_POINTS, total))
    steps = np.unique([*even.round(), 1, schedule.peak_step(total), total]).astype(np.int64)
    return line(
        steps.tolist(),
        schedule.rates(steps, total).tolist(),
        name_of(schedule),
        _COLORS[number % len(_COLORS)],
        "step %{x:,}: %{y:.3g}",
        width=2.5 if number else 4,
        dash=_DASHES[number % len(_DASHES)],
    )
