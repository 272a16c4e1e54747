"""Numbers written into the cells of a heatmap, readable on every colour of its scale."""

from __future__ import annotations

import plotly.graph_objects as go

from core.figures import theme
from core.figures.heatmap import HeatmapInfo

_BRIGHT = 0.45  # of the way along the scale, from where on black is easier to read than white


def write_numbers(trace: go.Heatmap, info: HeatmapInfo, number_format: str, size: int) -> None:
    """Write each value of a heatmap with a colour range into its cell; hover stays as it is.

    Args:
        trace: from `heatmap_trace`, changed in place.
        info: that it was made from.
        number_format: as `format` takes it, ".2f".
        size: of the letters, pixels.
    """
    low, high = info.color_range or (0.0, 1.0)
    middle = low + _BRIGHT * (high - low)
    texts = [
        ["" if value is None else _span(format(value, number_format), value > middle) for value in row]
        for row in info.values
    ]
    trace.update(
        customdata=trace.text,
        hovertemplate="%{customdata}<extra></extra>",
        text=texts,
        texttemplate="%{text}",
        textfont_size=size,
    )


def _span(text: str, on_bright: bool) -> str:
    """Plotly's own choice of a text colour is a grey that is hard to read in the middle of the scale."""
    return f'<span style="color:{theme.BLACK if on_bright else theme.WHITE}">{text}</span>'
