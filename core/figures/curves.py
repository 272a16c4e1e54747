"""Loss, accuracy and learning rate over the steps of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from core.figures import theme
from core.figures.line_panels import LinePanel, line_panels
from core.figures.theme import Figure, Trace
from core.records import EpochReport, StepReport

Report = TypeVar("Report", StepReport, EpochReport)

MAX_POINTS = 500  # of one line: more cannot be distinguished and slow down a live redraw
HEIGHT = 660  # pixels, for three panels
PANEL_TITLES = ("Loss (nats per token)", "Masked accuracy (next token right)", "Learning rate")

# More epochs than this are a line; fewer are shown as points on it too.
_EPOCHS_WITH_MARKERS = 30
_REVISION = "training curves"  # the same in every redraw


@dataclass(frozen=True)
class TrainingCurvesInfo:
    """What the training curves show: some steps, and the mean of each finished epoch."""

    steps: tuple[StepReport, ...]
    epochs: tuple[EpochReport, ...]
    before: tuple[EpochReport, ...]  # of another training, to compare with


def training_curves_info(
    reports: Sequence[StepReport], epochs: Sequence[EpochReport], before: Sequence[EpochReport] = ()
) -> TrainingCurvesInfo:
    """Keep at most MAX_POINTS steps and epochs, the first and the last among them.

    Args:
        reports: of all steps or of some, in order; one or more.
        epochs: the finished ones, in order.
        before: those of another training, drawn beside.
    """
    return TrainingCurvesInfo(_thinned(reports), _thinned(epochs), _thinned(before))


def training_curves_figure(info: TrainingCurvesInfo) -> Figure:
    """Draw three panels one above the other, which share the step axis and fit a phone.

    Zoom and hidden lines survive a redraw with more steps.
    """
    rates = [report.learning_rate for report in info.steps]
    rate = _line(info.steps, rates, theme.VERMILLION, "%{y:.3~g}", "learning rate", 2.5)
    traces = (
        _measure(info, "loss", theme.BLUE, "%{y:.4f}"),
        _measure(info, "accuracy", theme.GREEN, "%{y:.1%}"),
        [{**rate, "showlegend": False}],
    )
    # One legend entry stands for the line of that kind in both panels.
    for trace in traces[1]:
        trace["showlegend"] = False
    y_axes: tuple[dict[str, Any], ...] = ({}, {"range": [0, 1.02], "tickformat": ".0%"}, {"tickformat": "~g"})
    panels = [
        LinePanel(
            title, lines, {"tickformat": ",d", "nticks": 6}, {"nticks": 5, "rangemode": "tozero", **y_axis}
        )
        for title, lines, y_axis in zip(PANEL_TITLES, traces, y_axes, strict=True)
    ]
    panels[-1] = replace(panels[-1], x_axis={**panels[-1].x_axis, "title": {"text": "step"}})
    # Below, the step axis, its title and the legend.
    layout = {"margin": {"b": 84}, "uirevision": _REVISION}
    return line_panels(panels, HEIGHT, gap=0.09, shared=True, layout=layout)


def _measure(info: TrainingCurvesInfo, measure: str, color: str, value: str) -> list[Trace]:
    """Draw a panel: a thin line for the steps, a thick one for the epochs, those of held-out pairs and of before."""
    steps, means, before = (
        [getattr(report, measure) for report in reports] for reports in (info.steps, info.epochs, info.before)
    )
    thin = _line(info.steps, steps, color, value, "each step", 1)
    traces = [{**thin, "opacity": 0.6}, _line(info.epochs, means, color, value, "mean of an epoch", 3)]
    held_out = [getattr(epoch, f"validation_{measure}") for epoch in info.epochs]
    if held_out and None not in held_out:
        line = _line(info.epochs, held_out, theme.PURPLE, value, "held-out pairs", 3)
        traces.append({**line, "line": {**line["line"], "dash": "dash"}})
    if before:
        line = _line(info.before, before, theme.GREY, value, "the previous training", 2)
        traces.append({**line, "line": {**line["line"], "dash": "dot"}})
    return traces


def _line(
    reports: Sequence[StepReport | EpochReport],
    y: Sequence[float],
    color: str,
    value: str,
    name: str,
    width: float,
) -> Trace:
    """Draw one line over the steps of reports; `value` is how the hover text writes y."""
    # A line through one point is invisible.
    few = len(y) < 2 or (name in ("mean of an epoch", "held-out pairs") and len(y) <= _EPOCHS_WITH_MARKERS)
    return {
        "type": "scatter",
        "x": [report.step for report in reports],
        "y": y,
        "customdata": [report.epoch for report in reports],
        "name": name,
        "legendgroup": name,
        "mode": "lines+markers" if few else "lines",
        "line": {"color": color, "width": width},
        "marker": {"size": 7},
        "hovertemplate": f"{name}: {value}<br>step %{{x}}, epoch %{{customdata}}<extra></extra>",
    }


def _thinned(items: Sequence[Report]) -> tuple[Report, ...]:
    """Return at most MAX_POINTS of the items, evenly spread, the first and the last among them."""
    if len(items) <= MAX_POINTS:
        return tuple(items)
    return tuple(items[index] for index in np.linspace(0, len(items) - 1, MAX_POINTS).round().astype(int))
