"""Lines and bars, and figures of several panels, one below the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.figures import theme
from core.figures.theme import Figure, PlotlyTrace

# Horizontal text, not shrunk to the width of a narrow bar.
TEXT_ABOVE_BARS: dict[str, Any] = {
    "textposition": "outside",
    "textfont": {"size": theme.TICK_SIZE},
    "textangle": 0,
    "constraintext": "none",
    "cliponaxis": False,
}


@dataclass(frozen=True)
class LinePanel:
    """One panel, with axes and annotations in the format of Plotly's layout."""

    title: str
    traces: Sequence[PlotlyTrace]
    y_axis: Mapping[str, Any]
    x_axis: Mapping[str, Any] | None = None  # if the panels do not share one
    annotations: Sequence[Mapping[str, Any]] = ()


def line(
    x: Sequence[float],
    y: Sequence[float],
    name: str,
    color: str,
    hover: str,
    *,
    width: float = 2.5,
    dash: str = "solid",
    markers: bool = False,
) -> PlotlyTrace:
    """Return a line, with markers if asked for, or if it has only one point.

    `name`, in the legend, is plain text; `hover` is a template for Plotly's `hovertemplate`.
    """
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "name": theme.escaped(name),
        "mode": "lines+markers" if markers or len(y) == 1 else "lines",
        "line": {"color": color, "width": width, "dash": dash},
        "marker": {"size": 7},
        "hovertemplate": f"{hover}<extra></extra>",
    }


def bars(
    x: Sequence[float], y: Sequence[float], color: str | Sequence[str], hover: str, **own: Any
) -> PlotlyTrace:
    """Return bars, vertical unless `orientation` is "h"; `own` are further properties of Plotly's."""
    return {
        "type": "bar",
        "x": x,
        "y": y,
        "marker": {"color": color},
        "hovertemplate": f"{hover}<extra></extra>",
        **own,
    }


def vertical_line(x: float, color: str, width: float) -> dict[str, Any]:
    """Return a dashed line over the whole height of a figure, as a Plotly shape."""
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain"}
    return {"type": "line", **ends, "line": {"color": color, "width": width, "dash": "dash"}}


def named_point(
    x: float, y: float, text: str, color: str, *, left: bool
) -> tuple[PlotlyTrace, dict[str, Any]]:
    """Return a large dot, and an annotation in Plotly's markup, on its right or on its `left`."""
    dot = {
        "type": "scatter",
        "x": [x],
        "y": [y],
        "mode": "markers",
        "showlegend": False,
        "hoverinfo": "skip",
        "marker": {"color": color, "size": 14},
        "cliponaxis": False,
    }
    beside = {"xanchor": "right", "xshift": -12} if left else {"xanchor": "left", "xshift": 12}
    return dot, {"text": text, "x": x, "y": y, "yshift": 10, **beside}


def stacked_figure(
    panels: Sequence[LinePanel],
    height: int,
    gap: float,
    x_axis: Mapping[str, Any] | None = None,
    layout: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw panels of equal height, the first on top; traces with the same name share an entry of the legend.

    Args:
        panels: one or more panels.
        height: height of the whole figure, pixels.
        gap: gap between two panels, as a share of a panel with its gap.
        x_axis: axis shared by all panels, with labels below the last; None if each has its own.
        layout: layout of the whole figure.
    """
    traces: list[PlotlyTrace] = []
    notes: list[Mapping[str, Any]] = []
    axes: dict[str, Any] = {"xaxis": x_axis}
    named = set()
    for number, panel in enumerate(panels, start=1):
        suffix = "" if number == 1 else str(number)
        x, y = ("x" if x_axis else f"x{suffix}"), f"y{suffix}"
        for trace in panel.traces:
            name = trace.get("name")
            traces.append(
                {"legendgroup": name, "showlegend": name not in named, **trace, "xaxis": x, "yaxis": y}
            )
            named.add(name)
        axes[f"yaxis{suffix}"] = panel.y_axis
        if not x_axis:
            axes[f"xaxis{suffix}"] = panel.x_axis
        title = {"text": panel.title, "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
        notes.append({**title, "xref": "paper", "yref": f"{y} domain"})
        notes += [{"xref": x, "yref": y, **note} for note in panel.annotations]
    pattern = "coupled" if x_axis else "independent"
    grid = {"rows": len(panels), "columns": 1, "pattern": pattern, "ygap": gap}
    return theme.plain_figure(traces, {"grid": grid, **axes, "annotations": notes, **(layout or {})}, height)
