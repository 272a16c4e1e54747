"""Panels of lines or bars, one below the other, each with a title and axes of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.figures.theme import Figure, Trace, plain_figure


@dataclass(frozen=True)
class LinePanel:
    """One panel; axes and annotations as Plotly's layout has them."""

    title: str
    traces: Sequence[Trace]
    x_axis: Mapping[str, Any] = field(default_factory=dict)
    y_axis: Mapping[str, Any] = field(default_factory=dict)
    annotations: Sequence[Mapping[str, Any]] = ()


def line_panels(
    panels: Sequence[LinePanel],
    height: int,
    gap: float,
    *,
    shared: bool = False,
    layout: Mapping[str, Any] | None = None,
) -> Figure:
    """Stack panels of equal height, the first on top.

    Args:
        panels: one or more.
        height: of the whole figure, pixels.
        gap: between two panels, as a part of all panels and gaps.
        shared: whether all have one x axis, with labels below the last alone.
        layout: of the whole figure.
    """
    traces: list[Trace] = []
    titles, notes = [], []
    whole = dict(layout or {})
    panel_height = (1 - gap * (len(panels) - 1)) / len(panels)
    last = _suffix(len(panels) - 1)
    for number, panel in enumerate(panels):
        suffix = _suffix(number)
        top = 1 - number * (panel_height + gap)
        here = {"xref": f"x{suffix}", "yref": f"y{suffix}"}
        traces += [{**trace, "xaxis": here["xref"], "yaxis": here["yref"]} for trace in panel.traces]
        x_axis = {"anchor": here["yref"], **panel.x_axis}
        if shared and suffix != last:
            x_axis |= {"matches": f"x{last}", "showticklabels": False}
        whole[f"xaxis{suffix}"] = x_axis
        whole[f"yaxis{suffix}"] = {
            "anchor": here["xref"],
            "domain": [max(0.0, top - panel_height), top],
            **panel.y_axis,
        }
        title = {"text": panel.title, "x": 0, "y": top, "xanchor": "left", "yanchor": "bottom"}
        titles.append({**title, "xref": "paper", "yref": "paper"})
        notes += [{**here, **note} for note in panel.annotations]
    return plain_figure(traces, {**whole, "annotations": [*titles, *notes]}, height)


def _suffix(number: int) -> str:
    """Of a panel's axes: Plotly counts x, x2, x3."""
    return str(number + 1) if number else ""
