"""Attention between tokens: one head, or the mean over the heads of a layer, as a heatmap; two of them; a film."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.heatmap import Bar, color_axis, heatmap, heatmap_height, side_by_side, without_nan
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
    return _head(
        view,
        layer,
        head,
        highest_weight(view, view.head(layer, head)),
        title=view.title(layer, head),
        row_title=view.row_title,
        column_title=view.column_title,
        columns_above=columns_above,
        height=heatmap_height(len(view.rows), _SCREEN_HEIGHT),
    )


def _head(
    view: AttentionView, layer: int, head: int | None, highest: float, bar: Bar = "right", **options: Any
) -> Figure:
    """Draw one head in colors from 0 to the highest weight, with more options of `heatmap`."""
    return heatmap(
        _weights(view, layer, head),
        view.rows,
        view.columns,
        hover=f"“{{row}}” → “{{column}}”: {view.says} {{value:z.2f}}",
        colors=color_axis((0.0, highest), bar),
        **options,
    )


def attention_panels(
    views: Sequence[AttentionView], titles: Sequence[str], layer: int, head: int | None = None
) -> tuple[Figure, ...]:
    """Draw one head of several views side by side on one scale of colors, a figure each.

    Small panels have no room for what rows and columns are; the page says it. The titles are plain text.
    """
    highest = max(highest_weight(view, view.head(layer, head)) for view in views)
    figures = [
        _head(view, layer, head, highest, "below", most_labels=_PANEL_TICKS, columns_above=True)
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
    del trace["customdata"]
    trace["hovertemplate"] = "“%{y}” → “%{x}”: %{z:.2f}<extra></extra>"
    frames = [
        {"name": str(moment), "data": [{"type": "heatmap", "z": without_nan(_weights(view, layer, head))}]}
        for moment, view in moments
    ]
    layout = figure["layout"]
    layout["height"] += _ABOVE_FILM - layout["margin"]["t"]
    layout["margin"]["t"] = _ABOVE_FILM
    layout["title"] = {"text": ""}  # the page's controls say it
    layout["sliders"] = [_slider([moment for moment, _ in moments], unit)]
    layout["updatemenus"] = [_buttons()]
    return {**figure, "frames": frames}


def highest_weight(view: AttentionView, shown: NDArray[np.float32]) -> float:
    """Return the end of the color scale: the same for all figures, but of norms, which have no highest value."""
    if np.isfinite(view.most):
        return view.most
    return float(np.nanmax(shown, initial=0.0)) or 1.0


def _weights(view: AttentionView, layer: int, head: int | None) -> NDArray[np.float64]:
    return view.head(layer, head).astype(np.float64).round(_DECIMALS)


def _slider(moments: Sequence[int], unit: str) -> dict[str, Any]:
    steps = [
        {"label": str(moment), "method": "animate", "args": [[str(moment)], _AT_ONCE]} for moment in moments
    ]
    place = {"x": 0, "len": 1, "y": 1, "yanchor": "bottom", "pad": {"t": 0, "b": 8}}
    said = {"prefix": f"After {unit} ", "xanchor": "left"}
    look = {"bordercolor": theme.BUTTON, "bgcolor": theme.GRID}
    return {"steps": steps, "active": len(moments) - 1, "currentvalue": said, **place, **look}


def _buttons() -> dict[str, Any]:
    buttons = [
        {"label": "▶ Play", "method": "animate", "args": [None, _PLAY]},
        {"label": "Stop", "method": "animate", "args": [[None], _AT_ONCE]},
    ]
    place = {"x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "pad": {"b": 62}}
    look = {"bgcolor": theme.TRANSPARENT, "bordercolor": theme.BUTTON}
    return {"type": "buttons", "direction": "right", "showactive": False, "buttons": buttons, **place, **look}
