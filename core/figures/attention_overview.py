"""All layers and heads of one attention side by side, small; a press on one opens it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.label_fit import SCREEN
from core.figures.scroll_sign import scroll_sign
from core.figures.viridis import pixel_image
from core.records import AttentionView

_HEIGHT = 440  # pixels that are left of a projector's screen
_LEFT, _TOP, _GAP = 72, 26, 8  # pixels
_MIN_WIDTH = 560  # pixels, below which labels cannot be read; a phone scrolls
_MIN_CELL, _MAX_CELL = 56, 200  # pixels


@dataclass(frozen=True)
class HeadPicture:
    """One head among the others."""

    part: str  # "layer-head", both from 0
    label: str  # for those who cannot see it
    weights: NDArray[np.float32]  # (rows, columns)


@dataclass(frozen=True)
class OverviewInfo:
    """Layers from the top, heads from the left."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    pictures: tuple[tuple[HeadPicture, ...], ...]  # of each layer
    highest: float  # the weight of the brightest color


def overview_info(view: AttentionView) -> OverviewInfo:
    """All heads of a view on one scale of colors.

    Args:
        view: to show. Colors run from 0 to 1; norms have no highest value, so theirs end at the highest of all.
    """
    layers, heads = view.weights.shape[:2]
    own = float(np.nanmax(view.weights)) if view.weights.size else 1.0
    pictures = tuple(
        tuple(
            HeadPicture(
                f"{layer}-{head}",
                f"{view.title(layer, head)}: open it. {_strongest(view, layer, head)}",
                view.weights[layer, head],
            )
            for head in range(heads)
        )
        for layer in range(layers)
    )
    return OverviewInfo(
        rows=tuple(f"Layer {layer + 1}" for layer in range(layers)),
        columns=tuple(f"Head {head + 1}" for head in range(heads)) if view.heads_apart else ("All heads",),
        pictures=pictures,
        highest=view.most if np.isfinite(view.most) else own,
    )


def overview_svg(info: OverviewInfo, title: str) -> str:
    """Draw them; each is a button by `data-part`. `currentColor` is the page's text colour.

    Args:
        info: from `overview_info`.
        title: what all of them are.
    """
    layers, heads = len(info.rows), len(info.columns)
    width, height = _cell(info)
    whole_width = _LEFT + heads * (width + _GAP)
    whole_height = _TOP + layers * (height + _GAP)
    least = min(whole_width, _MIN_WIDTH)
    parts = [
        f"<style>{scroll_sign('.overview', least)}</style>"
        f'<div class="overview" style="overflow-x:auto"><svg viewBox="0 0 {whole_width} {whole_height}" role="group" '
        f'aria-label="{escape(title)}" '
        f'style="width:100%;min-width:{least}px;max-width:{whole_width}px;display:block">',
        "<style>g[data-part]{cursor:pointer;outline:none}image{image-rendering:pixelated}"
        "g[data-part] rect{fill:none;stroke:#808080;stroke-opacity:.4}"
        f"g[data-part]:hover rect,g[data-part]:focus-visible rect{{stroke:{theme.VERMILLION};"
        f"stroke-opacity:1;stroke-width:4}}text{{fill:currentColor;font-size:{theme.TICK_SIZE}px}}</style>",
    ]
    for head, label in enumerate(info.columns):
        x = _LEFT + head * (width + _GAP) + width / 2
        parts.append(f'<text x="{x:.0f}" y="16" text-anchor="middle">{escape(label)}</text>')
    for layer, label in enumerate(info.rows):
        y = _TOP + layer * (height + _GAP)
        parts.append(f'<text x="0" y="{y + height / 2 + 5:.0f}">{escape(label)}</text>')
        parts += _row(info.pictures[layer], y, (width, height), info.highest)
    return "".join([*parts, "</svg></div>"])


def _row(pictures: Sequence[HeadPicture], y: int, size: tuple[int, int], highest: float) -> list[str]:
    width, height = size
    found = []
    for head, picture in enumerate(pictures):
        place = f'x="{_LEFT + head * (width + _GAP)}" y="{y}" width="{width}" height="{height}"'
        image = pixel_image(picture.weights, highest) if picture.weights.size else ""
        label = escape(picture.label)
        found.append(
            f'<g data-part="{picture.part}" role="button" tabindex="0" aria-label="{label}">'
            f'<title>{label}</title><image {place} preserveAspectRatio="none" href="{image}"/>'
            f"<rect {place}/></g>"
        )
    return found


def _cell(info: OverviewInfo) -> tuple[int, int]:
    """Pixels of each picture, as large as all of them fit on the screen."""
    width = (SCREEN - _LEFT) // len(info.columns) - _GAP
    height = (_HEIGHT - _TOP) // len(info.rows) - _GAP
    return (max(_MIN_CELL, min(width, _MAX_CELL * 2)), max(_MIN_CELL, min(height, _MAX_CELL)))


def _strongest(view: AttentionView, layer: int, head: int) -> str:
    """The pair of tokens with the highest weight, in words."""
    weights = view.weights[layer, head]
    if not weights.size:
        return ""
    row, column = np.unravel_index(int(np.nanargmax(weights)), weights.shape)
    return f"Strongest: “{view.rows[row]}” attends to “{view.columns[column]}”, {float(weights[row, column]):.2f}"
