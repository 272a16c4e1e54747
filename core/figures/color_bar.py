"""Colour scales whose bar can lie below the figure, where it takes no width from a phone."""

from __future__ import annotations

from typing import Any

from core.figures import theme
from core.figures.heatmap import color_axis


def color_axis_below(color_range: tuple[float, float]) -> dict[str, Any]:
    """As `color_axis`, lying at the lower edge of a figure that leaves 60 pixels for it."""
    axis = color_axis(color_range)
    axis["colorbar"] |= {
        "orientation": "h",
        "x": 0.5,
        "xanchor": "center",
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
        "len": 220,
    }
    return axis


def signed_axis(highest: float, below: bool) -> dict[str, Any]:
    """Colours from -highest to highest; the bar below the panels leaves them a phone's whole width."""
    bar: dict[str, Any] = {"thickness": 14, "outlinewidth": 0, "tickfont_size": theme.TICK_SIZE, "nticks": 5}
    if below:
        bar |= {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "len": 0.9}
    else:
        bar |= {"len": 0.8}
    return {"colorscale": theme.SIGNED_SCALE, "cmin": -highest, "cmax": highest, "colorbar": bar}
