"""Numbers written into the cells of a heatmap, readable on every color of its scale."""

from __future__ import annotations

from core.figures import theme
from core.figures.heatmap import HeatmapInfo

_BRIGHT = 0.45  # from this part of the scale on, black is easier to read than white


def number_texts(info: HeatmapInfo, number_format: str) -> list[list[str]]:
    """Each value of a heatmap with a color range, as text for its cell.

    Args:
        info: from `heatmap_info`.
        number_format: as `format` takes it, ".2f".
    """
    low, high = info.color_range or (0.0, 1.0)
    middle = low + _BRIGHT * (high - low)
    return [
        ["" if value is None else _span(format(value, number_format), value > middle) for value in row]
        for row in info.values
    ]


def _span(text: str, on_bright: bool) -> str:
    """Plotly's own choice of a text color is a grey that is hard to read in the middle of the scale."""
    return f'<span style="color:{theme.BLACK if on_bright else theme.WHITE}">{text}</span>'
