"""Heatmaps that stand side by side, one figure each: the browser puts as many beside each other as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.figures import theme
from core.figures.color_bar import BAR_HEIGHT
from core.figures.heatmap import MAX_TICKS, label_axes
from core.figures.label_fit import Labelled, longest_label, panel_width
from core.figures.theme import Figure, Trace

LEVEL_LABELS = 62  # pixels below a panel, for labels of one line and the title of their axis

_TITLE, _LEVEL_LABEL, _EDGE = 34, 16, 24  # pixels
_AXIS_TITLE = LEVEL_LABELS - _LEVEL_LABEL


@dataclass(frozen=True)
class Panel:
    """One heatmap among others of its shape."""

    title: str  # plain text; empty where it has none
    trace: Trace
    labels: Labelled


def panel_figures(
    panels: Sequence[Panel],
    cells_height: int,
    column: float,
    colors: dict[str, Any],
    *,
    upright: bool,
    most_ticks: int = MAX_TICKS,
    columns_above: bool = False,
) -> tuple[Figure, ...]:
    """Draw panels of one size; below the last there is room for what explains the colors of all.

    Args:
        panels: one or more.
        cells_height: of one panel without its title and labels, pixels.
        column: the least width of a column, pixels.
        colors: from `color_axis`; its bar is drawn once.
        upright: whether column labels stand upright.
        most_ticks: the most labels on one axis.
        columns_above: whether column labels stand above the cells.
    """
    figures = []
    # The same above all, so that the cells of a line begin at one height.
    above = max(room_for_columns(panel.labels, upright) for panel in panels) if columns_above else 0
    for panel in panels:
        last = panel is panels[-1]
        labels = panel.labels
        axes = label_axes(labels, most_ticks, most_ticks, columns_above=columns_above)
        axes["xaxis"]["tickangle"] = -90 if upright else 0
        layout = {
            "coloraxis": {**colors, "showscale": last and colors["showscale"]},
            "meta": {"min_width": panel_width(labels, len(labels.column_labels), column, panel.title)},
            **axes,
        }
        below = theme.MARGIN["b"] if columns_above else room_for_columns(labels, upright)
        figures.append(panel_figure(panel.title, panel.trace, layout, cells_height, below, last, above))
    return tuple(figures)


def panel_figure(
    title: str,
    trace: Trace,
    layout: Mapping[str, Any],
    cells_height: int,
    below: int,
    last: bool,
    above: int = 0,
) -> Figure:
    """Frame one panel, so that the cells of all that stand in a line are at the same height.

    Args:
        title: plain text; empty where it has none.
        trace: the cells.
        layout: of the panel.
        cells_height: without title and labels, pixels.
        below: pixels that labels and the title of the columns need below the cells.
        last: whether it is the one that has room for what explains the colors.
        above: pixels that labels need between the title and the cells.
    """
    top = above + (_TITLE if title else theme.MARGIN["b"])
    bottom = below + (BAR_HEIGHT if last else 0)
    note = {"text": theme.escaped(title), "x": 0.5, "y": 1, "yanchor": "bottom", "xref": "paper"}
    framed = {
        "annotations": [{**note, "yref": "paper", "yshift": above}] if title else [],
        "margin": {"t": top, "b": bottom},
        **layout,
    }
    return theme.plain_figure([trace], framed, top + cells_height + bottom)


def room_for_columns(labels: Labelled, upright: bool) -> int:
    """Pixels that column labels and the title of their axis take below a panel, or above it."""
    title = _AXIS_TITLE if labels.column_title else _EDGE
    return title + (longest_label(labels.column_labels) if upright else _LEVEL_LABEL)
