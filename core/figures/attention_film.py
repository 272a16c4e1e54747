"""One head at several moments of a training: a slider and Play, both in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.figures import theme
from core.figures.attention import AttentionHeadInfo, attention_figure
from core.figures.theme import Figure

_FRAME = 400  # ms
_ABOVE = 104  # pixels, for the slider in the place of a title

_AT_ONCE = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
_PLAY = {"fromcurrent": True, "frame": {"duration": _FRAME, "redraw": True}, "transition": {"duration": 0}}


def film_figure(moments: Sequence[tuple[int, AttentionHeadInfo]], unit: str) -> Figure:
    """Draw the last moment; the others are frames.

    Args:
        moments: epochs or steps done, and the head then; all of one shape, two or more.
        unit: of the moments, "epoch".
    """
    figure = attention_figure(moments[-1][1], columns_above=False)  # the slider is there
    (trace,) = figure["data"]
    # By the labels of the axes: texts for each cell of each moment would be most of what is sent.
    trace = {key: value for key, value in trace.items() if key != "customdata"}
    trace["hovertemplate"] = "“%{y}” → “%{x}”: %{z:.2f}<extra></extra>"
    frames = [
        {"name": str(moment), "data": [{"type": "heatmap", "z": info.heatmap.values}]}
        for moment, info in moments
    ]
    layout = figure["layout"]
    shown = {
        **layout,
        "title": {"text": ""},  # the page's controls say it
        "height": layout["height"] - layout["margin"]["t"] + _ABOVE,
        "margin": {**layout["margin"], "t": _ABOVE},
        "sliders": [_slider([moment for moment, _ in moments], unit)],
        "updatemenus": [_buttons()],
    }
    return {"data": [trace], "layout": shown, "frames": frames}


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
