"""Attention between tokens: one head, or the mean over the heads of a layer, as a heatmap; two of them; a film."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.heatmap import color_axis, heatmap, heatmap_height
from core.figures.panels import side_by_side
from core.figures.theme import Figure
from core.records import AttentionView

_DECIMALS = 4  # more would be most of what is sent to the browser
_SCREEN_HEIGHT = 430  # pixels that are left of a projector's screen
_PANEL_TICKS = 32  # labels along one axis of a small panel
_PANEL_HEIGHT = 240  # pixels, of a small panel without its labels, unless its rows need more
_PANEL_ROW_HEIGHT = 18  # pixels
_MAX_PANEL_HEIGHT = 560  # pixels
_PANEL_COLUMN = 12  # pixels, the least of a column

_FRAME = 400  # ms
_ABOVE_FILM = 104  # pixels, for the slider in the place of a title
_AT_ONCE = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
_PLAY = {"fromcurrent": True, "frame": {"duration": _FRAME, "redraw": True}, "transition": {"duration": 0}}


def attention_figure(
    view: AttentionView, layer: int, head: int | None = None, *, columns_above: bool = True
) -> Figure:
    """Draw one head large, the names of the columns above it as a matrix has them.

    Args:
        view: attention of all layers and heads over one sentence pair.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
        columns_above: whether the names of the columns stand above.
    """
    return heatmap(
        _weights(view, layer, head),
        view.rows,
        view.columns,
        title=view.title(layer, head),
        row_title=view.row_title,
        column_title=view.column_title,
        hover=_hover(view),
        colors=color_axis((0.0, highest_weight(view, view.head(layer, head)))),
        columns_above=columns_above,
        height=heatmap_height(len(view.rows), _SCREEN_HEIGHT),
    )


def attention_panels(
    views: Sequence[AttentionView], titles: Sequence[str], layer: int, head: int | None = None
) -> tuple[Figure, ...]:
    """Draw one head of several views side by side on one scale of colors, a figure each.

    Small panels have no room for what rows and columns are; the page says it.

    Args:
        views: one or more.
        titles: plain text above each.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
    """
    highest = max(highest_weight(view, view.head(layer, head)) for view in views)
    colors = color_axis((0.0, highest), "below")
    figures = [
        heatmap(
            _weights(view, layer, head),
            view.rows,
            view.columns,
            hover=_hover(view),
            colors=colors,
            most_labels=_PANEL_TICKS,
            columns_above=True,
        )
        for view in views
    ]
    rows = max(len(view.rows) for view in views)
    height = min(max(_PANEL_HEIGHT, rows * _PANEL_ROW_HEIGHT), _MAX_PANEL_HEIGHT)
    return side_by_side(titles, figures, height, _PANEL_COLUMN, upright=True)


def film_figure(
    moments: Sequence[tuple[int, AttentionView]], layer: int, head: int | None, unit: str
) -> Figure:
    """Draw one head at the last moment of a training; the others are frames of a slider and Play in the browser.

    Args:
        moments: epochs or steps done, and the attention then; all of one shape, two or more.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
        unit: of the moments, "epoch".
    """
    # The slider is where columns would have their names above.
    figure = attention_figure(moments[-1][1], layer, head, columns_above=False)
    (trace,) = figure["data"]
    # By the labels of the axes: texts for each cell of each moment would be most of what is sent.
    trace = {key: value for key, value in trace.items() if key != "customdata"}
    trace["hovertemplate"] = "“%{y}” → “%{x}”: %{z:.2f}<extra></extra>"
    frames = [
        {"name": str(moment), "data": [{"type": "heatmap", "z": _as_sent(_weights(view, layer, head))}]}
        for moment, view in moments
    ]
    layout = figure["layout"]
    shown = {
        **layout,
        "title": {"text": ""},  # the page's controls say it
        "height": layout["height"] - layout["margin"]["t"] + _ABOVE_FILM,
        "margin": {**layout["margin"], "t": _ABOVE_FILM},
        "sliders": [_slider([moment for moment, _ in moments], unit)],
        "updatemenus": [_buttons()],
    }
    return {"data": [trace], "layout": shown, "frames": frames}


def highest_weight(view: AttentionView, shown: NDArray[np.float32]) -> float:
    """Return the end of the color scale: the same for all figures, but of norms, which have no highest value.

    Args:
        view: of what is shown.
        shown: the weights.
    """
    if np.isfinite(view.most) or not shown.size:
        return view.most if np.isfinite(view.most) else 1.0
    return float(np.nanmax(shown)) or 1.0


def _weights(view: AttentionView, layer: int, head: int | None) -> NDArray[np.float64]:
    return view.head(layer, head).astype(np.float64).round(_DECIMALS)


def _hover(view: AttentionView) -> str:
    return f"“{{row}}” → “{{column}}”: {view.says} {{value:z.2f}}"


def _as_sent(weights: NDArray[np.float64]) -> list[list[float | None]]:
    """JSON has no NaN."""
    return [[None if np.isnan(weight) else weight for weight in row] for row in weights.tolist()]


def _slider(moments: Sequence[int], unit: str) -> dict[str, Any]:
    steps = [
        {"label": str(moment), "method": "animate", "args": [[str(moment)], _AT_ONCE]} for moment in moments
    ]
    return {
        "steps": steps,
        "active": len(moments) - 1,
        "currentvalue": {"prefix": f"After {unit} ", "xanchor": "left"},
        "x": 0,
        "len": 1,
        "y": 1,
        "yanchor": "bottom",
        "pad": {"t": 0, "b": 8},
        "bordercolor": theme.BUTTON,
        "bgcolor": theme.GRID,
    }


def _buttons() -> dict[str, Any]:
    buttons = [
        {"label": "▶ Play", "method": "animate", "args": [None, _PLAY]},
        {"label": "Stop", "method": "animate", "args": [[None], _AT_ONCE]},
    ]
    return {
        "type": "buttons",
        "direction": "right",
        "showactive": False,
        "buttons": buttons,
        "x": 1,
        "xanchor": "right",
        "y": 1,
        "yanchor": "bottom",
        "pad": {"b": 62},
        "bgcolor": theme.TRANSPARENT,
        "bordercolor": theme.BUTTON,
    }
