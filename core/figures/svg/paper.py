"""Drawings in dark ink on white, to print and to fill in, and QR codes."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
import segno
from numpy.typing import ArrayLike

from core.figures.label_fit import longest_label
from core.figures.theme import SHARES, TICK_SIZE, colors_of

# Width and height of a cell, pixels: for a shade, for a handwritten word.
SHADED, _WRITTEN = (26, 26), (74, 40)
QUIET_ZONE = 4  # empty modules around a QR code, as ISO/IEC 18004 requires

_GAP = 8
_DARKEST = 0.65  # of the palette: a number can still be written into the cell
_WIDTH, _HEIGHT = 330, 210  # of a drawing with axes, pixels
_LEFT, _BELOW = 34, 34  # room for the titles of axes, pixels
_INK = "#1f1e1c"


def paper_grid(
    rows: Sequence[str],
    columns: Sequence[str],
    shades: ArrayLike | None = None,
    cell: tuple[int, int] = _WRITTEN,
) -> str:
    """Draw a table of cells with a label for each row and column.

    Args:
        rows: labels, from the top.
        columns: labels, from the left.
        shades: (rows, columns), from 0 white to 1 blue; None leaves all cells white, to be filled in.
        cell: width and height of a cell, pixels.
    """
    across, down = cell
    upright = longest_label(columns) > across  # a label that is wider than its column
    left, top = longest_label(rows) + _GAP, (longest_label(columns) if upright else TICK_SIZE) + _GAP
    width, height = left + len(columns) * across + 2, top + len(rows) * down + 2
    values = np.zeros((len(rows), len(columns))) if shades is None else np.asarray(shades)
    parts = []
    for row, label in enumerate(map(escape, rows)):
        y = top + (row + 0.5) * down + 5
        parts.append(f'<text x="{left - 6}" y="{y:g}" text-anchor="end">{label}</text>')
    for column, label in enumerate(map(escape, columns)):
        x = left + (column + 0.5) * across + 5 * upright
        turned = f'transform="rotate(-90 {x:g} {top - 6})"' if upright else 'text-anchor="middle"'
        parts.append(f'<text x="{x:g}" y="{top - 6}" {turned}>{label}</text>')
    fills = np.where(values[..., None] > 0, colors_of(_DARKEST * values, SHARES["light"]), 255)
    for row, column in np.ndindex(values.shape):
        fill = ",".join(map(str, fills[row, column].tolist()))
        place = f'x="{left + column * across}" y="{top + row * down}" width="{across}" height="{down}"'
        parts.append(f'<rect {place} fill="rgb({fill})" stroke="{_INK}"/>')
    return _paper_drawing(width, height, parts)


def paper_axes(x_title: str, y_title: str, curve: Sequence[tuple[float, float]] = ()) -> str:
    """Draw two axes, with a curve of points from 0 to 1, or with room to draw one."""
    bottom = _HEIGHT - _BELOW
    parts = [
        f'<path d="M{_LEFT} 8V{bottom}H{_WIDTH - 8}" fill="none" stroke="{_INK}" stroke-width="1.5"/>',
        f'<text x="{_WIDTH - 8}" y="{bottom + 22}" text-anchor="end">{escape(x_title)}</text>',
        f'<text x="{_LEFT - 12}" y="8" text-anchor="end" transform="rotate(-90 {_LEFT - 12} 8)">{escape(y_title)}</text>',
    ]
    if curve:
        across, up = _WIDTH - 16 - _LEFT, bottom - 16
        points = " ".join(f"{_LEFT + x * across:.1f},{bottom - y * up:.1f}" for x, y in curve)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{_INK}" stroke-width="2.5"/>')
    return _paper_drawing(_WIDTH, _HEIGHT, parts)


def _paper_drawing(width: int, height: int, parts: Iterable[str]) -> str:
    """Return an SVG of the given parts, with text in dark ink."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="{TICK_SIZE}" fill="{_INK}">'
        f"{''.join(parts)}</svg>"
    )


def qr_svg(text: str) -> str:
    """Return a QR code as SVG without a size, dark on white on any page, since many phones read no other.

    Error correction is low, because a projector hides nothing: fewer modules are larger, and readable from the back row.
    """
    code = segno.make_qr(text, error="l")
    svg: str = code.svg_inline(
        border=QUIET_ZONE, dark="#000000", light="#ffffff", omitsize=True, svgclass=None, lineclass=None
    )
    return svg
