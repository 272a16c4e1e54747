"""Figures of training: lengths of sentences, learning rate schedules, and training curves."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.figures import theme
from core.figures.plotly.lines import LinePanel, bars, line, named_point, stacked_figure, vertical_line
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, number
from core.records.training import StepReport, thinned
from core.theory.schedule import Schedule

MAX_POINTS = 500  # per line; more cannot be told apart

# One more than colors, so that twenty curves differ.
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
_SCHEDULE_POINTS = 300
_LEGEND_ROW = 26  # pixels

_MAX_BINS, _MAX_TICKS = 30, 12  # for lengths
_MARK_ROW = 20  # pixels above the bars for each marked maximum
_SIDES = {"source": N_("source"), "target": N_("target")}
_LONGEST = {"source": N_("longest source: {length}"), "target": N_("longest target: {length}")}


def lengths_figure(
    lengths: Mapping[str, Sequence[int]], unit: str = N_("tokens"), is_sample: bool = False
) -> Figure:
    """Draw a histogram of sentence lengths by side, with a dashed line at each side's longest sentence.

    Args:
        lengths: the length of each sentence by side ("source", "target"), at least one.
        unit: name of the unit in English, in the plural.
        is_sample: whether these are random sentences of a larger corpus, which the figure then says.
    """
    unit = _(unit)
    most = max(map(max, lengths.values()))
    width = _range_width(most)
    starts = range(0, most + 1, width)
    labels = [f"{start}" if width == 1 else f"{start}–{start + width - 1}" for start in starts]
    middles = [start + width / 2 for start in starts]
    traces = []
    lines = []
    notes = []
    for row, ((side, values), color) in enumerate(zip(lengths.items(), theme.SERIES, strict=False)):
        counts = np.bincount(np.asarray(values) // width, minlength=len(starts)).tolist()
        name = _(_SIDES[side])
        hover = _("{side}: {count} with {length} {unit}").format(
            side=name, count="%{y:,}", length="%{customdata}", unit=unit
        )
        traces.append(bars(middles, counts, color, hover, name=name, customdata=labels))
        end = max(values) + 0.5
        font = {"size": theme.TICK_SIZE}
        lines.append(vertical_line(end, color, 1.5))
        place = {"x": end, "xanchor": "right", "yref": "paper", "y": 1, "yanchor": "bottom"}
        shift = {"xshift": -4, "yshift": _MARK_ROW * row}
        longest = _(_LONGEST[side]).format(length=number(max(values), ","))
        notes.append({"text": longest, **place, **shift, "font": font})
    says = _("{unit} in a sentence, {count} random pairs") if is_sample else _("{unit} in a sentence")
    pairs = number(len(next(iter(lengths.values()))), ",")
    x_axis = theme.axis(says.format(unit=unit, count=pairs), nticks=_MAX_TICKS)
    if width == 1:  # labels in the middle of bars
        ticks = theme.tick_positions(len(starts), _MAX_TICKS)
        x_axis |= {"tickvals": [tick + 0.5 for tick in ticks], "ticktext": [labels[tick] for tick in ticks]}
    marks = _MARK_ROW * len(lengths)
    layout = {
        "bargap": 0.1,
        "margin": {"t": theme.TOOLBAR + marks, "b": 84},
        "shapes": lines,
        "annotations": notes,
        "xaxis": x_axis,
        "yaxis": theme.axis(_("sentences"), tickformat=",d", nticks=6),
    }
    return theme.plain_figure(traces, layout, 340 + marks)


def _range_width(most: int) -> int:
    """Return the smallest bin width of 1, 2, 5, 10, … with at most _MAX_BINS bins."""
    widths = (factor * 10**power for power in range(7) for factor in (1, 2, 5))
    return next(width for width in widths if most // width < _MAX_BINS)


def training_curves_figure(steps: Sequence[StepReport]) -> Figure:
    """Draw loss, accuracy and learning rate over the steps, one above the other."""
    steps = thinned(steps, MAX_POINTS)
    measures = (
        ("loss", _("Loss (nats per token)"), theme.BLUE, ".2f"),
        ("accuracy", _("Masked accuracy (next token right)"), theme.GREEN, ".0%"),
        ("learning_rate", _("Learning rate"), theme.VERMILLION, ".3~g"),
    )
    panels = []
    for measure, title, color, form in measures:
        values = [getattr(step, measure) for step in steps]
        is_share = form.endswith("%")
        value = "%{hovertext}" if is_share else f"%{{y:{form}}}"
        hover = _("{value}<br>step {step}, epoch {epoch}").format(
            value=value, step="%{x}", epoch="%{customdata}"
        )
        trace = line([step.step for step in steps], values, title, color, hover)
        trace["customdata"] = [step.epoch for step in steps]
        if is_share:
            trace["hovertext"] = [number(each, form) for each in values]
        panels.append(LinePanel(title, [trace], {"nticks": 5, "rangemode": "tozero"}))
    x_axis = theme.axis(_("step"), tickformat=",d", nticks=6)
    return stacked_figure(panels, 600, 0.25, x_axis, {"showlegend": False})


def name_of(schedule: Schedule) -> str:
    """Describe a schedule in a few words."""
    if schedule.kind == "constant":
        return _("constant {rate}").format(rate=number(schedule.rate, "g"))
    warmup = number(schedule.warmup_steps, ",")
    if schedule.kind == "linear":
        return _("linear, peak {rate}, warmup {warmup}").format(
            rate=number(schedule.rate, "g"), warmup=warmup
        )
    return _("paper, d_model {d_model}, warmup {warmup}").format(
        d_model=number(schedule.d_model, ","), warmup=warmup
    )


def schedule_figure(schedules: Sequence[Schedule], total_steps: int) -> Figure:
    """Draw learning rates over the steps; the first schedule has a thick line and a labeled peak."""
    curves = [_schedule(place, schedule, total_steps) for place, schedule in enumerate(schedules)]
    x = schedules[0].peak_step(total_steps)
    y = float(schedules[0].rates(x, total_steps))
    text = _("<b>step {step}: {rate}</b>").format(step=number(x, ","), rate=number(y, ".3g"))
    peak, note = named_point(x, y, text, theme.SERIES[0], left=x >= total_steps / 2)
    layout = {
        "annotations": [note],
        "xaxis": theme.axis(_("step"), range=[0, total_steps * 1.04], tickformat=",d", nticks=6, tickangle=0),
        "yaxis": theme.axis(_("learning rate"), rangemode="tozero", exponentformat="none", nticks=7),
        "legend": {"orientation": "v"},
        "margin": {"b": 100 + _LEGEND_ROW * len(curves)},
        "showlegend": True,
    }
    return theme.plain_figure([*curves, peak], layout, 390 + _LEGEND_ROW * len(curves))


def _schedule(place: int, schedule: Schedule, total: int) -> PlotlyTrace:
    """Draw a schedule at evenly spread steps, with the first, the last and the peak among them."""
    even = np.linspace(1, total, min(_SCHEDULE_POINTS, total))
    steps = np.unique([*even.round(), 1, schedule.peak_step(total), total]).astype(np.int64)
    return line(
        steps.tolist(),
        schedule.rates(steps, total).tolist(),
        name_of(schedule),
        theme.SERIES[place % len(theme.SERIES)],
        _("step {step}: {rate}").format(step="%{x:,}", rate="%{y:.3g}"),
        width=2.5 if place else 4,
        dash=_DASHES[place % len(_DASHES)],
    )
