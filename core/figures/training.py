"""A training: the lengths of its sentences, schedules to choose from, and its curves over the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from core.figures import theme
from core.figures.lines import LinePanel, bars, line, named_point, stacked_figure, vertical_line
from core.figures.theme import Figure, Trace
from core.records import EpochReport, StepReport
from core.theory.schedule import Schedule

Report = TypeVar("Report", StepReport, EpochReport)

MAX_POINTS = 500  # of one line: more cannot be distinguished and slow down a live redraw

# More epochs than this are a line; fewer are shown as points on it too.
_EPOCHS_WITH_MARKERS = 30

_COLORS = (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PURPLE)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")  # not as many as colors: twenty curves differ
_SCHEDULE_POINTS = 300
_LEGEND_ROW = 26  # pixels

_MAX_BINS, _MAX_TICKS = 30, 12  # of the lengths
_MARK_ROW = 20  # pixels above the bars for each marked maximum


def lengths_figure(lengths: Mapping[str, Sequence[int]], unit: str = "tokens") -> Figure:
    """Draw bars side by side for each range of lengths, and a dashed line at each side's longest sentence.

    Args:
        lengths: of each sentence, one or more, by side ("source", "target").
        unit: what is counted, in the plural.
    """
    most = max(map(max, lengths.values()))
    width = _range_width(most)
    starts = range(0, most + 1, width)
    labels = [f"{start}" if width == 1 else f"{start}–{start + width - 1}" for start in starts]
    middles = [start + width / 2 for start in starts]
    traces, lines, notes = [], [], []
    for row, ((side, values), color) in enumerate(zip(lengths.items(), _COLORS, strict=False)):
        counts = np.bincount(np.asarray(values) // width, minlength=len(starts)).tolist()
        hover = f"{side}: %{{y:,}} with %{{customdata}} {unit}"
        traces.append(bars(middles, counts, color, hover, name=side, customdata=labels))
        end, font = max(values) + 0.5, {"size": theme.TICK_SIZE}
        lines.append(vertical_line(end, color, 1.5))
        place = {"x": end, "xanchor": "right", "yref": "paper", "y": 1, "yanchor": "bottom"}
        shift = {"xshift": -4, "yshift": _MARK_ROW * row}
        notes.append({"text": f"longest {side}: {max(values):,}", **place, **shift, "font": font})
    x_axis = theme.axis(f"{unit} in a sentence", nticks=_MAX_TICKS)
    if width == 1:  # a bar has one length, not the room between two
        ticks = theme.tick_positions(len(starts), _MAX_TICKS)
        x_axis |= {"tickvals": [tick + 0.5 for tick in ticks], "ticktext": [labels[tick] for tick in ticks]}
    marks = _MARK_ROW * len(lengths)
    layout = {
        "bargap": 0.1,
        "margin": {"t": 24 + marks, "b": 84},
        "shapes": lines,
        "annotations": notes,
        "xaxis": x_axis,
        "yaxis": theme.axis("sentences", tickformat=",d", nticks=6),
    }
    return theme.plain_figure(traces, layout, 340 + marks)


def _range_width(most: int) -> int:
    """Return the smallest width of a range that people count in (1, 2, 5, 10, …) with at most _MAX_BINS ranges."""
    widths = (factor * 10**power for power in range(7) for factor in (1, 2, 5))
    return next(width for width in widths if most // width < _MAX_BINS)


def training_curves_figure(steps: Sequence[StepReport], epochs: Sequence[EpochReport]) -> Figure:
    """Draw three panels one above the other, which share the step axis and fit a phone.

    Args:
        steps: of all steps or of some, in order; one or more.
        epochs: the finished ones, in order.
    """
    steps, epochs = _thinned(steps), _thinned(epochs)
    losses = _measure(steps, epochs, "loss", theme.BLUE, "%{y:.4f}")
    accuracies = _measure(steps, epochs, "accuracy", theme.GREEN, "%{y:.1%}")
    rates = _curve(steps, "learning_rate", "learning rate", theme.VERMILLION, "%{y:.3~g}", width=2.5)
    y_axis = {"nticks": 5, "rangemode": "tozero"}
    shares = {**y_axis, "range": [0, 1.02], "tickformat": ".0%"}
    panels = [
        LinePanel("Loss (nats per token)", losses, y_axis),
        LinePanel("Masked accuracy (next token right)", accuracies, shares),
        LinePanel("Learning rate", [{**rates, "showlegend": False}], {**y_axis, "tickformat": "~g"}),
    ]
    x_axis = theme.axis("step", tickformat=",d", nticks=6)
    # Below, the step axis, its title and the legend.
    return stacked_figure(panels, 660, 0.25, x_axis, {"margin": {"b": 84}})


def _measure(
    steps: Sequence[StepReport],
    epochs: Sequence[EpochReport],
    measure: str,
    color: str,
    value: str,
) -> list[Trace]:
    """Draw a panel: a thin line for the steps, a thick one for the epochs, those of held-out pairs."""
    few = len(epochs) <= _EPOCHS_WITH_MARKERS
    traces = [
        {**_curve(steps, measure, "each step", color, value, width=1), "opacity": 0.6},
        _curve(epochs, measure, "mean of an epoch", color, value, width=3, markers=few),
    ]
    held_out = f"validation_{measure}"
    if epochs and all(getattr(epoch, held_out) is not None for epoch in epochs):
        look: dict[str, Any] = {"width": 3, "dash": "dash", "markers": few}
        traces.append(_curve(epochs, held_out, "held-out pairs", theme.PURPLE, value, **look))
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
    """Draw learning rates over the steps; the first, chosen curve is thick and its peak has a name."""
    curves = [_schedule(number, schedule, total_steps) for number, schedule in enumerate(schedules)]
    x = schedules[0].peak_step(total_steps)
    y = float(schedules[0].rates(x, total_steps))
    peak, note = named_point(x, y, f"<b>step {x:,}: {y:.3g}</b>", _COLORS[0], left=x >= total_steps / 2)
    layout = {
        "annotations": [note],
        "xaxis": theme.axis("step", range=[0, total_steps * 1.04], tickformat=",d", nticks=6, tickangle=0),
        "yaxis": theme.axis("learning rate", rangemode="tozero", exponentformat="none", nticks=7),
        "legend": {"orientation": "v"},
        "margin": {"b": 100 + _LEGEND_ROW * len(curves)},
        "showlegend": True,
    }
    return theme.plain_figure([*curves, peak], layout, 390 + _LEGEND_ROW * len(curves))


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
