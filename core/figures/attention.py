"""Attention between tokens: one head, or the mean over the heads of a layer, as a heatmap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.figures.color_bar import color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_figure, heatmap_info, heatmap_trace
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure
from core.records import AttentionView

_DECIMALS = 4  # more would be most of what is sent to the browser
_SCREEN_HEIGHT = 430  # pixels that are left of a projector's screen
_PANEL_TICKS = 32  # labels along one axis of a small panel
_PANEL_HEIGHT = 240  # pixels, of a small panel without its labels, unless its rows need more
_PANEL_ROW_HEIGHT = 18  # pixels
_MAX_PANEL_HEIGHT = 560  # pixels
_PANEL_COLUMN = 12  # pixels, the least of a column


@dataclass(frozen=True)
class AttentionHeadInfo:
    """The weights of one head, or the mean over the heads of a layer."""

    title: str
    heatmap: HeatmapInfo  # row: query; column: key


def attention_info(view: AttentionView, layer: int, head: int | None = None) -> AttentionHeadInfo:
    """Pick one head and label its weights.

    Args:
        view: attention of all layers and heads over one sentence pair.
        layer: from 0.
        head: from 0, or None for the mean over the heads.
    """
    weights = view.head(layer, head).astype(np.float64).round(_DECIMALS)
    heatmap = heatmap_info(
        weights,
        view.rows,
        view.columns,
        row_title=view.row_title,
        column_title=view.column_title,
        hover_format=f"“{{row}}” → “{{column}}”: {view.says} {{value:z.2f}}",
        color_range=(0.0, _highest(view, layer, head)),
    )
    return AttentionHeadInfo(view.title(layer, head), heatmap)


def _highest(view: AttentionView, layer: int, head: int | None) -> float:
    """The end of the color scale: the same for all figures, but of norms, which have no highest value."""
    if np.isfinite(view.most):
        return view.most
    shown = view.head(layer, head)
    return float(np.nanmax(shown)) if shown.size else 1.0


def attention_figure(info: AttentionHeadInfo, columns_above: bool = True) -> Figure:
    """Draw one head large, the names of the columns above it as a matrix has them."""
    return heatmap_figure(info.heatmap, info.title, screen_height=_SCREEN_HEIGHT, columns_above=columns_above)


def attention_panels(infos: Sequence[AttentionHeadInfo], titles: Sequence[str]) -> tuple[Figure, ...]:
    """Matrices side by side on one scale of colors, a figure each.

    Args:
        infos: one or more, with a `color_range` each.
        titles: plain text above each.
    """
    highest = max(info.heatmap.color_range[1] for info in infos if info.heatmap.color_range)
    panels = [
        # Small panels have no room for what rows and columns are; the page says it.
        Panel(
            title,
            heatmap_trace(info.heatmap.values, info.heatmap.hover),
            replace(info.heatmap, row_title="", column_title=""),
        )
        for info, title in zip(infos, titles, strict=True)
    ]
    rows = max(len(info.heatmap.row_labels) for info in infos)
    height = min(max(_PANEL_HEIGHT, rows * _PANEL_ROW_HEIGHT), _MAX_PANEL_HEIGHT)
    colors = color_axis((0.0, highest), "below")
    return panel_figures(
        panels, height, _PANEL_COLUMN, colors, upright=True, most_ticks=_PANEL_TICKS, columns_above=True
    )
