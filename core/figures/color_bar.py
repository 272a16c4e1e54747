"""A colour scale whose bar lies below the figure, where it takes no width from a phone."""

from __future__ import annotations

from typing import Any

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
