"""Loss, accuracy and learning rate over the steps of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.figures import theme
from core.figures.line_panels import LinePanel, line_panels
from core.figures.theme import Figure, Trace
from core.records import EpochReport, StepReport

MAX_POINTS = 500  # of one line: more cannot be distinguished and slow down a live redraw
HEIGHT = 660  # pixels, for three panels
PANEL_TITLES = ("Loss (nats per token)", "Masked accuracy (next token right)", "Learning rate")

# More epochs than this are a line; fewer are shown as points on it too.
_EPOCHS_WITH_MARKERS = 30
_REVISION = "training curves"  # the same in every redraw


@dataclass(frozen=True)
class TrainingCurvesInfo:
    """What the training curves show: some steps, and the mean of each finished epoch.

    The first five have one entry for each step that is kept, the others one for each epoch.
    """

    steps: tuple[int, ...] = ()
    epochs: tuple[int, ...] = ()  # epoch of each step, from 1
    losses: tuple[float, ...] = ()  # nats
    accuracies: tuple[float, ...] = ()  # 0 to 1
    learning_rates: tuple[float, ...] = ()
    epoch_numbers: tuple[int, ...] = ()
    epoch_steps: tuple[int, ...] = ()  # last step of each epoch, where its mean is drawn
    epoch_losses: tuple[float, ...] = ()  # means over all tokens of the epoch
    epoch_accuracies: tuple[float, ...] = ()
    held_out_losses: tuple[
        float, ...
    ] = ()  # after each epoch, on pairs that are not trained on; empty without any
    held_out_accuracies: tuple[float, ...] = ()
    before: tuple[EpochReport, ...] = ()  # of another training, to compare with


def training_curves_info(
    reports: Sequence[StepReport],
    epochs: Sequence[EpochReport],
    before: Sequence[EpochReport] = (),
    max_points: int = MAX_POINTS,
) -> TrainingCurvesInfo:
    """Thin the steps and the epochs.

    Args:
        reports: of all steps or of some, in order; may be empty.
        epochs: the finished ones, in order.
        before: those of another training, drawn beside.
        max_points: the most steps, and the most epochs, to keep; the first and the last always stay.

    Returns:
        What to draw. An epoch that is still running has no mean yet.

    Raises:
        ValueError: `max_points` is less than 2.
    """
    if max_points < 2:
        raise ValueError(f"max_points must be 2 or more. Received: {max_points}")
    kept = _thinned(reports, max_points)
    finished = _thinned(epochs, max_points)
    return TrainingCurvesInfo(
        steps=tuple(report.step for report in kept),
        epochs=tuple(report.epoch for report in kept),
        losses=tuple(report.loss for report in kept),
        accuracies=tuple(report.accuracy for report in kept),
        learning_rates=tuple(report.learning_rate for report in kept),
        epoch_numbers=tuple(epoch.epoch for epoch in finished),
        epoch_steps=tuple(epoch.step for epoch in finished),
        epoch_losses=tuple(epoch.loss for epoch in finished),
        epoch_accuracies=tuple(epoch.accuracy for epoch in finished),
        held_out_losses=tuple(
            epoch.validation_loss for epoch in finished if epoch.validation_loss is not None
        ),
        held_out_accuracies=tuple(
            epoch.validation_accuracy for epoch in finished if epoch.validation_accuracy is not None
        ),
        before=tuple(_thinned(before, max_points)),
    )


def training_curves_figure(info: TrainingCurvesInfo) -> Figure:
    """Three panels one above the other, which share the step axis and fit a phone.

    Args:
        info: from `training_curves_info`; an empty one gives a figure that says so.

    Returns:
        The figure. Zoom and hidden lines survive a redraw with more steps.
    """
    if not info.steps:
        figure = theme.message_figure("No steps yet", HEIGHT)
        figure["layout"]["uirevision"] = _REVISION
        return figure
    rate = _line(info.steps, info.epochs, info.learning_rates, theme.VERMILLION, "%{y:.3~g}", "learning rate")
    traces = (
        [
            *_measure(info, info.losses, info.epoch_losses, theme.BLUE, "%{y:.4f}"),
            *_held_out(info, info.held_out_losses, "%{y:.4f}"),
            *_earlier(info.before, [epoch.loss for epoch in info.before], "%{y:.4f}"),
        ],
        [
            *_measure(info, info.accuracies, info.epoch_accuracies, theme.GREEN, "%{y:.1%}"),
            *_held_out(info, info.held_out_accuracies, "%{y:.1%}"),
            *_earlier(info.before, [epoch.accuracy for epoch in info.before], "%{y:.1%}"),
        ],
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


def _measure(
    info: TrainingCurvesInfo, steps: Sequence[float], means: Sequence[float], color: str, value: str
) -> tuple[Trace, Trace]:
    """A thin line for the steps of a panel and a thick one for the epochs."""
    thin = _line(info.steps, info.epochs, steps, color, value, "each step", 1)
    thick = _line(info.epoch_steps, info.epoch_numbers, means, color, value, "mean of an epoch", 3)
    return {**thin, "opacity": 0.6}, thick


def _held_out(info: TrainingCurvesInfo, values: Sequence[float], value: str) -> list[Trace]:
    """The dashed line of the pairs that are not trained on, if there are any."""
    if not values:
        return []
    line = _line(info.epoch_steps, info.epoch_numbers, values, theme.PURPLE, value, "held-out pairs", 3)
    return [{**line, "line": {**line["line"], "dash": "dash"}}]


def _earlier(epochs: Sequence[EpochReport], means: Sequence[float], value: str) -> list[Trace]:
    """The dotted line of the previous training, if there was one."""
    if not epochs:
        return []
    steps, numbers = [epoch.step for epoch in epochs], [epoch.epoch for epoch in epochs]
    line = _line(steps, numbers, means, theme.GREY, value, "the previous training", 2)
    return [{**line, "line": {**line["line"], "dash": "dot"}}]


def _line(
    x: Sequence[int],
    epochs: Sequence[int],
    y: Sequence[float],
    color: str,
    value: str,
    name: str,
    width: float = 2.5,
) -> Trace:
    """One line; `value` is how the hover text writes y."""
    # A line through one point is invisible.
    few = len(x) < 2 or (name in ("mean of an epoch", "held-out pairs") and len(x) <= _EPOCHS_WITH_MARKERS)
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "customdata": epochs,
        "name": name,
        "legendgroup": name,
        "mode": "lines+markers" if few else "lines",
        "line": {"color": color, "width": width},
        "marker": {"size": 7},
        "hovertemplate": f"{name}: {value}<br>step %{{x}}, epoch %{{customdata}}<extra></extra>",
    }


def _thinned(items: Sequence, most: int) -> list:
    """At most `most` of the items, evenly spread, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[index] for index in np.linspace(0, len(items) - 1, most).round().astype(int)]
