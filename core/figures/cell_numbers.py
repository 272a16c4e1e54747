"""Numbers written into the cells of a heatmap, readable on every color of its scale."""

from __future__ import annotations

from core.figures import theme
from core.figures.heatmap import HeatmapInfo

# Where black text and white text have the same contrast, 4.6 (WCAG asks for 4.5).
_DARK_BLUE = -0.92  # of a scale of both signs: white is easier to read below; its red is bright enough
_BRIGHT = 0.44  # of the scale of attention: black is easier to read above


def number_texts(info: HeatmapInfo, number_format: str) -> list[list[str]]:
    """Each value of a heatmap with a color range, as text for its cell.

    Args:
        info: from `heatmap_info`.
        number_format: as `format` takes it, ".2f".
    """
    low, high = info.color_range or (0.0, 1.0)
    middle = low + _BRIGHT * (high - low)
    return [
        ["" if value is None else colored_text(format(value, number_format), value > middle) for value in row]
        for row in info.values
    ]


def signed_texts(info: HeatmapInfo, number_format: str) -> list[list[str]]:
    """As `number_texts`, on the scale of positive and negative numbers, whose middle is the brightest."""
    _, highest = info.color_range or (-1.0, 1.0)
    return [
        [
            ""
            if value is None
            else colored_text(_without_minus_zero(format(value, number_format)), is_pale(value / highest))
            for value in row
        ]
        for row in info.values
    ]


def is_bright(share: float) -> bool:
    """Whether the scale of attention is bright at this part of it, 0 to 1."""
    return share > _BRIGHT


def is_pale(share: float) -> bool:
    """Whether black is easy to read on the scale of both signs at this part of it, -1 to 1."""
    return share > _DARK_BLUE


def _without_minus_zero(text: str) -> str:
    return text.removeprefix("-") if not float(text) else text


def colored_text(text: str, on_bright: bool) -> str:
    """Plotly's own choice of a text color is a grey that is hard to read in the middle of the scale."""
    return f'<span style="color:{theme.BLACK if on_bright else theme.WHITE}">{text}</span>'
