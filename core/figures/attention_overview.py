"""All layers and heads of one attention side by side, small; a press on one opens it."""

from __future__ import annotations

from html import escape

import numpy as np

from core.figures import theme
from core.figures.attention import highest_weight
from core.figures.label_fit import SCREEN, scroll_sign
from core.figures.viridis import pixel_image
from core.records import AttentionView

_HEIGHT = 440  # pixels that are left of a projector's screen
_LEFT, _TOP, _GAP = 72, 26, 8  # pixels
_MIN_WIDTH = 560  # pixels, below which labels cannot be read; a phone scrolls
_MIN_CELL, _MAX_CELL = 56, 200  # pixels


def overview_svg(view: AttentionView) -> str:
    """Draw layers from the top and heads from the left; each is a button by `data-part`, "layer-head" from 0.

    `currentColor` is the page's text color.

    Args:
        view: to show, on one scale of colors.
    """
    layers, heads = view.weights.shape[:2]
    width, height = _cell(layers, heads)
    whole_width = _LEFT + heads * (width + _GAP)
    whole_height = _TOP + layers * (height + _GAP)
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
        x = _LEFT + head * (width + _GAP) + width / 2
        label = f"Head {head + 1}" if view.heads_apart else "All heads"
        parts.append(f'<text x="{x:.0f}" y="16" text-anchor="middle">{label}</text>')
    for layer in range(layers):
        y = _TOP + layer * (height + _GAP)
        parts.append(f'<text x="0" y="{y + height / 2 + 5:.0f}">Layer {layer + 1}</text>')
        for head in range(heads):
            place = f'x="{_LEFT + head * (width + _GAP)}" y="{y}" width="{width}" height="{height}"'
            parts.append(_head(view, layer, head, place))
    return "".join([*parts, "</svg></div>"])


def _head(view: AttentionView, layer: int, head: int, place: str) -> str:
    """One picture among the others, with a label for those who cannot see it."""
    weights = view.weights[layer, head]
    label = escape(f"{view.title(layer, head)}: open it. {_strongest(view, layer, head)}")
    image = pixel_image(weights, highest_weight(view, view.weights)) if weights.size else ""
    return (
        f'<g data-part="{layer}-{head}" role="button" tabindex="0" aria-label="{label}">'
        f'<title>{label}</title><image {place} preserveAspectRatio="none" href="{image}"/>'
        f"<rect {place}/></g>"
    )


def _cell(layers: int, heads: int) -> tuple[int, int]:
    """Pixels of each picture, as large as all of them fit on the screen."""
    width = (SCREEN - _LEFT) // heads - _GAP
    height = (_HEIGHT - _TOP) // layers - _GAP
    return (max(_MIN_CELL, min(width, _MAX_CELL * 2)), max(_MIN_CELL, min(height, _MAX_CELL)))


def _strongest(view: AttentionView, layer: int, head: int) -> str:
    """The pair of tokens with the highest weight, in words."""
    weights = view.weights[layer, head]
    if not weights.size:
        return ""
    row, column = np.unravel_index(int(np.nanargmax(weights)), weights.shape)
    return f"Strongest: “{view.rows[row]}” attends to “{view.columns[column]}”, {float(weights[row, column]):.2f}"
