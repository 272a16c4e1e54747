"""A heatmap as a plain SVG, without Plotly: for files that are opened anywhere."""

from __future__ import annotations

from html import escape

import numpy as np

from core.figures import theme
from core.figures.heatmap import HeatmapInfo
from core.figures.label_fit import longest_label
from core.figures.viridis import colors_of, pixel_image

_MIN_CELL, _MAX_CELL = 14, 36  # pixels
_AREA = 640  # pixels of the longer side, unless that makes cells too small
_TITLE, _GAP, _BAR = 56, 10, 70  # pixels
_MAX_CELLS = 6_400  # that are drawn one by one; more are an image, a hundredth of the size
_INK, _PAPER = "#1f1e1c", "#ffffff"


def heatmap_svg(info: HeatmapInfo, title: str, caption: str = "") -> str:
    """Draw a matrix, row 0 on top, dark text on white; pointing at a cell shows its hover text.

    Args:
        info: whose `color_range` is from 0 to the highest color; None takes the highest value.
        title: plain text above it.
        caption: plain text below it.
    """
    rows, columns = len(info.row_labels), len(info.column_labels)
    cell = max(_MIN_CELL, min(_MAX_CELL, _AREA // max(rows, columns, 1)))
    left, top = longest_label(info.row_labels) + _GAP, longest_label(info.column_labels) + _TITLE
    width = max(left + columns * cell + _BAR, 420)
    height = top + rows * cell + 2 * _GAP + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="{theme.TICK_SIZE}" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>',
        f'<text x="{_GAP}" y="24" font-size="{theme.TITLE_SIZE}" font-weight="700">{escape(title)}</text>',
        *_labels(info, left, top, cell),
        *_cells(info, left, top, cell),
        *_bar(_highest(info), left + columns * cell + _GAP * 2, top),
        f'<text x="{_GAP}" y="{height - 16}" font-size="12">{escape(caption)}</text>',
        "</svg>",
    ]
    return "".join(parts)


def _highest(info: HeatmapInfo) -> float:
    if info.color_range is not None:
        return info.color_range[1]
    return max((value for row in info.values for value in row if value is not None), default=1.0)


def _labels(info: HeatmapInfo, left: int, top: int, cell: int) -> list[str]:
    parts = []
    for index, label in enumerate(info.row_labels):
        y = top + (index + 0.5) * cell + 5
        parts.append(f'<text x="{left - 6}" y="{y:g}" text-anchor="end">{_shown(label)}</text>')
    for index, label in enumerate(info.column_labels):
        x = left + (index + 0.5) * cell + 5
        parts.append(
            f'<text x="{x:g}" y="{top - 6}" transform="rotate(-90 {x:g} {top - 6})">{_shown(label)}</text>'
        )
    return parts


def _shown(label: str) -> str:
    return escape(theme.shortened(label))


def _cells(info: HeatmapInfo, left: int, top: int, cell: int) -> list[str]:
    highest = _highest(info) or 1.0
    rows, columns = len(info.row_labels), len(info.column_labels)
    if rows * columns > _MAX_CELLS:
        image = pixel_image(np.array(info.values, np.float64), highest)
        place = f'x="{left}" y="{top}" width="{columns * cell}" height="{rows * cell}"'
        return [f'<image {place} style="image-rendering:pixelated" href="{image}"/>']
    parts = []
    for row, (values, hover) in enumerate(zip(info.values, info.hover, strict=True)):
        shares = np.clip(np.array([value or 0.0 for value in values]) / highest, 0, 1)
        colors = colors_of(shares)
        for column, (value, text, color) in enumerate(zip(values, hover, colors, strict=True)):
            if value is not None:
                parts.append(
                    f'<rect x="{left + column * cell}" y="{top + row * cell}" width="{cell}" height="{cell}" '
                    f'fill="#{bytes(color).hex()}"><title>{escape(text)}</title></rect>'
                )
    return parts


def _bar(highest: float, x: int, top: int) -> list[str]:
    """The colors from 0, below, to the highest value."""
    steps, step = 20, 6
    parts = []
    for index, color in enumerate(colors_of(np.linspace(1, 0, steps))):
        place = f'x="{x}" y="{top + index * step}" width="14" height="{step}"'
        parts.append(f'<rect {place} fill="#{bytes(color).hex()}"/>')
    bottom = top + steps * step
    parts.append(f'<text x="{x + 20}" y="{top + 10}">{highest:.2g}</text>')
    parts.append(f'<text x="{x + 20}" y="{bottom}">0</text>')
    return parts
