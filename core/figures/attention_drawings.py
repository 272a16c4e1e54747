"""Attention without Plotly: all heads small on a page, one head as lines between tokens, and as files for elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.attention import highest_weight
from core.figures.heatmap import Texts, colors_of, pixel_image
from core.figures.label_fit import SCREEN, longest_line, scroll_sign
from core.figures.paper import grid_labels, paper_drawing
from core.figures.theme import Figure
from core.records import AttentionView

CAVEAT = (
    "Attention shows where information could flow, not why the model chose a word: very different weights can give "
    "the same translation."
)

_HEADS_HEIGHT = 440  # pixels that are left of a projector's screen
_HEADS_LEFT, _HEADS_TOP, _HEADS_GAP = 72, 26, 8  # pixels
_MIN_WIDTH = 560  # pixels, below which labels cannot be read; a phone scrolls
_MIN_HEAD, _MAX_HEAD = 56, 200  # pixels

MAX_LINKS = 3000  # that a browser draws quickly
_LINES_HEIGHT = 384  # pixels that are left of a projector's screen
_DECIMALS = 3
SCRIPT, STYLE, _PAGE = (
    (Path(__file__).parent / name).read_text(encoding="utf-8")
    for name in ("linked_tokens.js", "linked_tokens.css", "attention_page.html")
)

_MIN_CELL, _MAX_CELL = 14, 36  # pixels
_AREA = 640  # pixels of the longer side, unless that makes cells too small
_TITLE, _GAP, _BAR = 56, 10, 70  # pixels
_MAX_CELLS = 6_400  # that are drawn one by one; more are an image, a hundredth of the size


def overview_svg(view: AttentionView) -> str:
    """Draw layers from the top and heads from the left, on one scale of colors.

    Each is a button by `data-part`, "layer-head" from 0. `currentColor` is the page's text color.
    """
    layers, heads = view.weights.shape[:2]
    # As large as all of them fit on the screen.
    width = max(_MIN_HEAD, min((SCREEN - _HEADS_LEFT) // heads - _HEADS_GAP, _MAX_HEAD * 2))
    height = max(_MIN_HEAD, min((_HEADS_HEIGHT - _HEADS_TOP) // layers - _HEADS_GAP, _MAX_HEAD))
    whole_width = _HEADS_LEFT + heads * (width + _HEADS_GAP)
    whole_height = _HEADS_TOP + layers * (height + _HEADS_GAP)
    least = min(whole_width, _MIN_WIDTH)
    parts = [
        f"<style>{scroll_sign('.overview', least)}</style>"
        f'<div class="overview" style="overflow-x:auto"><svg viewBox="0 0 {whole_width} {whole_height}" role="group" '
        f'aria-label="{escape(view.name)}: all layers and heads" '
        f'style="width:100%;min-width:{least}px;max-width:{whole_width}px;display:block">',
        "<style>g[data-part]{cursor:pointer;outline:none}image{image-rendering:pixelated}"
        "g[data-part] rect{fill:none;stroke:#808080;stroke-opacity:.4}"
        f"g[data-part]:hover rect,g[data-part]:focus-visible rect{{stroke:{theme.VERMILLION};"
        f"stroke-opacity:1;stroke-width:4}}text{{fill:currentColor;font-size:{theme.TICK_SIZE}px}}</style>",
    ]
    for head in range(heads):
        x = _HEADS_LEFT + head * (width + _HEADS_GAP) + width / 2
        label = f"Head {head + 1}" if view.heads_apart else "All heads"
        parts.append(f'<text x="{x:.0f}" y="16" text-anchor="middle">{label}</text>')
    for layer in range(layers):
        y = _HEADS_TOP + layer * (height + _HEADS_GAP)
        parts.append(f'<text x="0" y="{y + height / 2 + 5:.0f}">Layer {layer + 1}</text>')
        for head in range(heads):
            x = _HEADS_LEFT + head * (width + _HEADS_GAP)
            place = f'x="{x}" y="{y}" width="{width}" height="{height}"'
            parts.append(_small_head(view, layer, head, place))
    return "".join([*parts, "</svg></div>"])


def _small_head(view: AttentionView, layer: int, head: int, place: str) -> str:
    """Draw one picture among the others, with a label for those who cannot see it: its strongest pair of tokens."""
    weights, strongest, image = view.weights[layer, head], "", ""
    if weights.size:
        row, column = np.unravel_index(int(np.nanargmax(weights)), weights.shape)
        pair = f"“{view.rows[row]}” attends to “{view.columns[column]}”"
        strongest = f"Strongest: {pair}, {float(weights[row, column]):.2f}"
        image = pixel_image(weights, highest_weight(view, view.weights))
    label = escape(f"{view.title(layer, head)}: open it. {strongest}")
    return (
        f'<g data-part="{layer}-{head}" role="button" tabindex="0" aria-label="{label}">'
        f'<title>{label}</title><image {place} preserveAspectRatio="none" href="{image}"/>'
        f"<rect {place}/></g>"
    )


def linked_tokens(
    view: AttentionView, layer: int, head: int | None, marked: Set[tuple[int, int]] = frozenset()
) -> dict[str, Any]:
    """Return the lines of one head: what attends at the left, what is attended to at the right.

    What a token's links lead to is followed in the browser, so pointing at one asks the server nothing.

    Args:
        view: attention of all layers and heads.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
        marked: links to draw in another color, as (row, column).

    Returns:
        What the script in the browser takes; all text is plain. "links" are from query to key: column and place of the
        query, column and place of the key, weight, and 1 where it is marked. Weights below "least" were left out;
        "highest" is the weight of a full line.
    """
    weights = np.nan_to_num(view.head(layer, head))
    least = 10.0**-_DECIMALS
    if np.count_nonzero(weights >= least) > MAX_LINKS:
        least = float(np.partition(weights.ravel(), -MAX_LINKS)[-MAX_LINKS])
    links = [
        (1, row, 0, column, round(float(weights[row, column]), _DECIMALS), int((row, column) in marked))
        for row, column in np.argwhere(weights >= least).tolist()
    ]
    return {
        "title": view.title(layer, head),
        "columns": [
            {"title": view.column_title, "tokens": view.columns, "x": 1.0, "side": "right"},
            {"title": view.row_title, "tokens": view.rows, "x": 0.0, "side": "left"},
        ],
        # The strongest are drawn last, above the others.
        "links": tuple(sorted(links, key=lambda link: (link[5], link[4]))),
        "least": least,
        "highest": highest_weight(view, weights),
        "height": _LINES_HEIGHT,
    }


def attention_page(
    figure: Figure, lines: Mapping[str, Any], source: str, target: str, notes: str = ""
) -> str:
    """Return one head of a sentence as an HTML file that needs nothing else.

    Args:
        figure: the heatmap of the head.
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
    title, highest = layout["title"]["text"], layout["coloraxis"]["cmax"]
    values = np.array(trace["z"], np.float64)
    rows, columns = values.shape
    cell = max(_MIN_CELL, min(_MAX_CELL, _AREA // max(rows, columns)))
    row_axis, column_axis = layout["yaxis"], layout["xaxis"]
    corner = left, top = (
        longest_line(row_axis["ticktext"]) + _GAP,
        longest_line(column_axis["ticktext"]) + _TITLE,
    )
    width = max(left + columns * cell + _BAR, 420)
    height = top + rows * cell + 2 * _GAP + 40
    row_labels, column_labels = (
        zip(each["tickvals"], each["ticktext"], strict=True) for each in (row_axis, column_axis)
    )
    parts = [
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_GAP}" y="24" font-size="{theme.TITLE_SIZE}" font-weight="700">{title}</text>',
        *grid_labels(row_labels, column_labels, corner, (cell, cell), upright=True),
        *_svg_cells(values, trace["customdata"], highest, corner, cell),
        *_svg_bar(highest, left + columns * cell + _GAP * 2, top),
        f'<text x="{_GAP}" y="{height - 16}" font-size="12">{escape(caption)}</text>',
    ]
    return paper_drawing(width, height, parts)


def _svg_cells(
    values: NDArray[np.float64], hover: Texts, highest: float, corner: tuple[int, int], cell: int
) -> list[str]:
    (left, top), (rows, columns) = corner, values.shape
    if values.size > _MAX_CELLS:
        image = pixel_image(values, highest)
        place = f'x="{left}" y="{top}" width="{columns * cell}" height="{rows * cell}"'
        return [f'<image {place} style="image-rendering:pixelated" href="{image}"/>']
    colors = colors_of(np.clip(np.nan_to_num(values) / highest, 0, 1))
    return [
        f'<rect x="{left + column * cell}" y="{top + row * cell}" width="{cell}" height="{cell}" '
        f'fill="#{bytes(colors[row, column]).hex()}"><title>{hover[row][column]}</title></rect>'
        for row, column in np.argwhere(~np.isnan(values)).tolist()
    ]


def _svg_bar(highest: float, x: int, top: int) -> list[str]:
    """Draw the colors from 0, below, to the highest value."""
    steps, step = 20, 6
    parts = [
        f'<rect x="{x}" y="{top + index * step}" width="14" height="{step}" fill="#{bytes(color).hex()}"/>'
        for index, color in enumerate(colors_of(np.linspace(1, 0, steps)))
    ]
    ends = ((f"{highest:.2g}", top + 10), ("0", top + steps * step))
    return [*parts, *(f'<text x="{x + 20}" y="{y}">{text}</text>' for text, y in ends)]
