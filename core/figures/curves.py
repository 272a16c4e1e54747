"""Loss, accuracy and learning rate over the steps of a training run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.records import StepReport

MAX_POINTS = 500  # of one line: more cannot be told apart and make a live redraw slow
HEIGHT = 660  # pixels, for three panels
PANEL_TITLES = ("Loss (nats per token)", "Accuracy (tokens predicted exactly)", "Learning rate")

# More epochs than this are a line; fewer are shown as points on it too.
_EPOCHS_WITH_MARKERS = 30


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
    epoch_losses: tuple[float, ...] = ()  # means over all steps of the epoch, kept or not
    epoch_accuracies: tuple[float, ...] = ()


def training_curves_info(reports: Sequence[StepReport], max_points: int = MAX_POINTS) -> TrainingCurvesInfo:
    """Thin the steps and average the epochs.

    Args:
        reports: in the order of their steps; may be empty.
        max_points: the most steps, and the most epochs, to keep; the first and the last always stay.

    Returns:
        What to draw. An epoch that is still running has no mean yet.

    Raises:
        ValueError: `max_points` is less than 2.
    """
    if max_points < 2:
        raise ValueError(f"max_points must be 2 or more. Received: {max_points}")
    kept = _thinned(reports, max_points)
    by_epoch = [list(group) for _, group in groupby(reports, key=lambda report: report.epoch)]
    finished = _thinned([epoch for epoch in by_epoch if epoch[-1].ends_epoch], max_points)
    return TrainingCurvesInfo(
        steps=tuple(report.step for report in kept),
        epochs=tuple(report.epoch for report in kept),
        losses=tuple(report.loss for report in kept),
        accuracies=tuple(report.accuracy for report in kept),
        learning_rates=tuple(report.learning_rate for report in kept),
        epoch_numbers=tuple(epoch[-1].epoch for epoch in finished),
        epoch_steps=tuple(epoch[-1].step for epoch in finished),
        epoch_losses=tuple(fmean(report.loss for report in epoch) for epoch in finished),
        epoch_accuracies=tuple(fmean(report.accuracy for report in epoch) for epoch in finished),
    )


def training_curves_figure(info: TrainingCurvesInfo) -> go.Figure:
    """Three panels one above the other, which share the step axis and fit a phone.

    Args:
        info: from `training_curves_info`; an empty one gives a figure that says so.

    Returns:
        The figure. Zoom and hidden lines survive a redraw with more steps.
    """
    figure = make_subplots(
        rows=3,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.09,
        subplot_titles=PANEL_TITLES if info.steps else None,
    )
    theme.apply_theme(figure, HEIGHT)
    figure.update_layout(uirevision="training curves")
    if not info.steps:
        return theme.apply_message(figure, "No steps yet")
    _add_measure(figure, 1, info, info.losses, info.epoch_losses, theme.BLUE, "%{y:.4f}")
    _add_measure(figure, 2, info, info.accuracies, info.epoch_accuracies, theme.GREEN, "%{y:.1%}")
    figure.add_trace(
        _line(
            info.steps, info.epochs, info.learning_rates, theme.VERMILLION, "%{y:.3~g}", "learning rate", 2.5
        ),
        row=3,
        col=1,
    )
    figure.data[-1].showlegend = False
    _arrange(figure)
    return figure


def _add_measure(
    figure: go.Figure,
    row: int,
    info: TrainingCurvesInfo,
    steps: Sequence[float],
    means: Sequence[float],
    colour: str,
    value: str,
) -> None:
    """A thin line for the steps of a panel and a thick one for the epochs."""
    thin = _line(info.steps, info.epochs, steps, colour, value, "each step", 1)
    thin.opacity = 0.6
    thick = _line(info.epoch_steps, info.epoch_numbers, means, colour, value, "mean of an epoch", 3)
    for trace in (thin, thick):
        # One legend entry stands for the line of that kind in both panels.
        trace.update(legendgroup=trace.name, showlegend=row == 1)
        figure.add_trace(trace, row=row, col=1)


def _line(
    x: Sequence[int],
    epochs: Sequence[int],
    y: Sequence[float],
    colour: str,
    value: str,
    name: str,
    width: float,
) -> go.Scatter:
    """One line; `value` is how the hover text writes y."""
    # A line through one point is invisible.
    few = len(x) < 2 or (name == "mean of an epoch" and len(x) <= _EPOCHS_WITH_MARKERS)
    return go.Scatter(
        x=x,
        y=y,
        customdata=epochs,
        name=name,
        mode="lines+markers" if few else "lines",
        line={"color": colour, "width": width},
        marker_size=7,
        hovertemplate=f"{name}: {value}<br>step %{{x}}, epoch %{{customdata}}<extra></extra>",
    )


def _arrange(figure: go.Figure) -> None:
    """Axes, legend and panel titles."""
    figure.update_layout(
        hovermode="closest",
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
        },
        margin_b=84,  # the step axis, its title and the legend
    )
    figure.update_annotations(x=0, xanchor="left", font_size=theme.FONT_SIZE)
    figure.update_xaxes(tickformat=",d", nticks=6)
    figure.update_xaxes(title_text="step", row=3, col=1)
    figure.update_yaxes(nticks=5, rangemode="tozero")
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%", row=2, col=1)
    figure.update_yaxes(tickformat="~g", row=3, col=1)


def _thinned(items: Sequence, most: int) -> list:
    """At most `most` of the items, evenly spread, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[index] for index in np.linspace(0, len(items) - 1, most).round().astype(int)]
