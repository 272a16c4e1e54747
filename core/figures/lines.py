"""Lines over an axis, and panels of lines or bars, one below the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.figures import theme
from core.figures.theme import Figure, Trace

_LOOKS = (
    (theme.BLUE, "solid"), (theme.VERMILLION, "solid"), (theme.GREEN, "solid"),
    (theme.PURPLE, "solid"), (theme.BLUE, "dot"),
)  # fmt: skip
_CHANCE_LOOK = (theme.GREY, "dash")


@dataclass(frozen=True)
class LinePanel:
    """One panel; axes and annotations as Plotly's layout has them."""

    title: str
    traces: Sequence[Trace]
    y_axis: Mapping[str, Any]
    x_axis: Mapping[str, Any] = field(default_factory=dict)  # where the panels do not share one
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
) -> Trace:
    """Return a line, with points where `markers` asks for them or there is but one.

    Args:
        x: of each point.
        y: of each point.
        name: in the legend, plain text.
        color: of line and points.
        hover: what a point says, as Plotly's `hovertemplate` has it.
        width: pixels.
        dash: as Plotly names it.
        markers: whether each point is marked.
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


def named_point(x: float, y: float, text: str, color: str, *, left: bool) -> tuple[Trace, dict[str, Any]]:
    """Return a large dot, and an annotation with its name.

    Args:
        x: of the dot.
        y: of the dot.
        text: its name, as Plotly's markup.
        color: of the dot.
        left: whether the name stands at its left, where the right has no room.
    """
    dot = {
        "type": "scatter", "x": [x], "y": [y], "mode": "markers", "showlegend": False, "hoverinfo": "skip",
        "marker": {"color": color, "size": 14}, "cliponaxis": False,
    }  # fmt: skip
    beside = {"xanchor": "right", "xshift": -12} if left else {"xanchor": "left", "xshift": 12}
    return dot, {"text": text, "x": x, "y": y, "yshift": 10, **beside}


def stacked_figure(
    panels: Sequence[LinePanel],
    height: int,
    gap: float,
    x_axis: Mapping[str, Any] | None = None,
    layout: Mapping[str, Any] | None = None,
) -> Figure:
    """Stack panels of equal height, the first on top; a name that several have is once in the legend.

    Args:
        panels: one or more.
        height: of the whole figure, pixels.
        gap: between two panels, as a part of a panel with its gap.
        x_axis: that all share, with labels below the last alone; None where each has its own.
        layout: of the whole figure.
    """
    traces: list[Trace] = []
    notes: list[Mapping[str, Any]] = []
    axes = {} if x_axis is None else {"xaxis": x_axis}
    named = set()
    for number, panel in enumerate(panels, start=1):
        suffix = "" if number == 1 else str(number)
        x, y = ("x" if x_axis is not None else f"x{suffix}"), f"y{suffix}"
        for trace in panel.traces:
            name = trace.get("name")
            traces.append(
                {"legendgroup": name, "showlegend": name not in named, **trace, "xaxis": x, "yaxis": y}
            )
            named.add(name)
        axes[f"yaxis{suffix}"] = panel.y_axis
        if x_axis is None:
            axes[f"xaxis{suffix}"] = panel.x_axis
        title = {"text": panel.title, "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
        notes.append({**title, "xref": "paper", "yref": f"{y} domain"})
        notes += [{"xref": x, "yref": y, **note} for note in panel.annotations]
    pattern = "independent" if x_axis is None else "coupled"
    grid = {"rows": len(panels), "columns": 1, "pattern": pattern, "ygap": gap}
    whole = {"grid": grid, **axes, "annotations": notes, **(layout or {})}
    return theme.plain_figure(traces, whole, height)


def erasure_figure(erased: Sequence[int], curves: Mapping[str, Sequence[float]], chance: str) -> Figure:
    """Draw what is left of a translation while its source is erased: a line for each order, that of chance dashed.

    Args:
        erased: words gone at each point.
        curves: mean log P a token at each point, nats, by the name that the legend gives them.
        chance: which of them is of random orders.
    """
    looks = iter(_LOOKS)
    traces = []
    for name, curve in curves.items():
        color, dash = _CHANCE_LOOK if name == chance else next(looks)
        hover = f"{theme.escaped(name)}: %{{y:.2f}} nats with %{{x}} words gone"
        traces.append(line(list(erased), curve, name, color, hover, width=3, dash=dash, markers=True))
    layout = {
        "margin": {"t": 12, "b": 112},
        "xaxis": {"title": {"text": "source words erased"}, "dtick": -(-erased[-1] // 8)},
        "yaxis": {"title": {"text": "log P per token, nats"}, "nticks": 6},
    }
    return theme.plain_figure(traces, layout)
