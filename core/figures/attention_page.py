"""One head of a sentence as files that need nothing else: the heatmap as SVG, and as HTML with the lines to point at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.heatmap import Texts
from core.figures.label_fit import longest_line
from core.figures.linked_tokens import SCRIPT, STYLE
from core.figures.theme import Figure
from core.figures.viridis import colors_of, pixel_image

CAVEAT = (
    "Attention shows where information could flow, not why the model chose a word: very different weights can give "
    "the same translation."
)

_MIN_CELL, _MAX_CELL = 14, 36  # pixels
_AREA = 640  # pixels of the longer side, unless that makes cells too small
_TITLE, _GAP, _BAR = 56, 10, 70  # pixels
_MAX_CELLS = 6_400  # that are drawn one by one; more are an image, a hundredth of the size
_INK, _PAPER = "#1f1e1c", "#ffffff"

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; color: #1f1e1c; background: #fff;
max-width: 900px; margin: 2rem auto; padding: 0 1rem; }}
.heatmap {{ overflow-x: auto; }}
{style}</style></head>
<body><h1>{title}</h1>
<p>{source} → <b>{target}</b></p>
<div class="heatmap">{heatmap}</div>
<h2>Lines</h2><p>Point at a token, or press it.</p>
<div class="linked-tokens"></div>
<p>{caption}</p>
<script type="application/json" id="links">{data}</script>
<script>{script}
drawLinkedTokens(document.querySelector(".linked-tokens"), JSON.parse(document.getElementById("links").textContent));
</script></body></html>
"""


def attention_page(
    figure: Figure,
    lines: Mapping[str, Any],
    source: str,
    target: str,
    notes: str = "",
) -> str:
    """Return the file's text.

    Args:
        figure: the heatmap of one head.
        lines: the same head, from `linked_tokens`.
        source: the sentence.
        target: its translation.
        notes: sentences on what was put together or left out.
    """
    data = json.dumps(lines, ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        title=figure["layout"]["title"]["text"],
        style=STYLE,
        source=escape(source),
        target=escape(target),
        heatmap=heatmap_svg(figure),
        caption=escape(f"{notes} {CAVEAT}".strip()),
        data=data.replace("<", "\\u003c"),  # so that no token ends the script
        script=SCRIPT,
    )


def heatmap_svg(figure: Figure, caption: str = "") -> str:
    """Draw a heatmap as a plain SVG, without Plotly: dark text on white; pointing at a cell shows its hover text.

    Args:
        figure: from `heatmap`, with a range of colors from 0.
        caption: plain text below it.
    """
    (trace,), layout = figure["data"], figure["layout"]
    title = layout["title"]["text"]
    values = np.array(trace["z"], np.float64)
    rows, columns = values.shape
    cell = max(_MIN_CELL, min(_MAX_CELL, _AREA // max(rows, columns)))
    row_labels, column_labels = layout["yaxis"]["ticktext"], layout["xaxis"]["ticktext"]
    left, top = longest_line(row_labels) + _GAP, longest_line(column_labels) + _TITLE
    width = max(left + columns * cell + _BAR, 420)
    height = top + rows * cell + 2 * _GAP + 40
    highest = layout["coloraxis"]["cmax"]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="{theme.TICK_SIZE}" fill="{_INK}">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>',
        f'<text x="{_GAP}" y="24" font-size="{theme.TITLE_SIZE}" font-weight="700">{title}</text>',
    ]
    for place, label in zip(layout["yaxis"]["tickvals"], row_labels, strict=True):
        y = top + (place + 0.5) * cell + 5
        parts.append(f'<text x="{left - 6}" y="{y:g}" text-anchor="end">{label}</text>')
    for place, label in zip(layout["xaxis"]["tickvals"], column_labels, strict=True):
        x = left + (place + 0.5) * cell + 5
        parts.append(f'<text x="{x:g}" y="{top - 6}" transform="rotate(-90 {x:g} {top - 6})">{label}</text>')
    parts += _svg_cells(values, trace["customdata"], highest, (left, top), cell)
    parts += _svg_bar(highest, left + columns * cell + _GAP * 2, top)
    parts.append(f'<text x="{_GAP}" y="{height - 16}" font-size="12">{escape(caption)}</text></svg>')
    return "".join(parts)


def _svg_cells(
    values: NDArray[np.float64], hover: Texts, highest: float, corner: tuple[int, int], cell: int
) -> list[str]:
    (left, top), (rows, columns) = corner, values.shape
    if values.size > _MAX_CELLS:
        image = pixel_image(values, highest)
        place = f'x="{left}" y="{top}" width="{columns * cell}" height="{rows * cell}"'
        return [f'<image {place} style="image-rendering:pixelated" href="{image}"/>']
    colors = colors_of(np.clip(values / highest, 0, 1))
    return [
        f'<rect x="{left + column * cell}" y="{top + row * cell}" width="{cell}" height="{cell}" '
        f'fill="#{bytes(colors[row, column]).hex()}"><title>{hover[row][column]}</title></rect>'
        for row, column in np.argwhere(~np.isnan(values)).tolist()
    ]


def _svg_bar(highest: float, x: int, top: int) -> list[str]:
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
