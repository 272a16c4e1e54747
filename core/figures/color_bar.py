"""Colour scales and the bar that explains them."""

from __future__ import annotations

from typing import Any, Literal

from core.figures import theme

BAR_HEIGHT, BAR_WIDTH = 60, 60  # pixels that a bar takes, below the figure or at its right

Bar = Literal["right", "below", "none"]

_BARS: dict[Bar, dict[str, Any]] = {
    # Of one length at the top, or it would grow with a phone's tall column of cells.
    "right": {"nticks": 6, "lenmode": "pixels", "len": 190, "y": 1, "yanchor": "top"},
    "below": {
        "nticks": 4, "tickangle": 0, "orientation": "h", "len": 0.9,
        "y": 0, "yref": "container", "yanchor": "bottom",
    },
    "none": {},
}  # fmt: skip


def color_axis(color_range: tuple[float, float] | None, bar: Bar = "right") -> dict[str, Any]:
    """Colors from the lowest value to the highest.

    Args:
        color_range: both ends, or None to take them from the values.
        bar: where it is; below, it takes no width from a phone.
    """
    low, high = color_range or (None, None)
    return {"cmin": low, "cmax": high, "showscale": bar != "none", "colorbar": _BARS[bar]}


def signed_axis(highest: float, bar: Bar = "below") -> dict[str, Any]:
    """Colors from -highest to highest, 0 the palest."""
    return {**color_axis((-highest, highest), bar), "colorscale": theme.SIGNED_SCALE}
