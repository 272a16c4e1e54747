"""Heatmaps that stand side by side, one figure each: the browser puts as many beside each other as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.figures import theme
from core.figures.heatmap import BAR_HEIGHT
from core.figures.label_fit import MIN_COLUMN, least_width, longest_line
from core.figures.theme import Figure, Trace

LEVEL_LABELS = 62  # pixels below a panel, for labels of one line and the title of their axis

_TITLE, _LEVEL_LABEL, _EDGE = 34, 16, 24  # pixels
_AXIS_TITLE = LEVEL_LABELS - _LEVEL_LABEL


def side_by_side(
    titles: Sequence[str],
    figures: Sequence[Figure],
    cells_height: int,
    column: float = MIN_COLUMN,
    *,
    upright: bool = False,
) -> tuple[Figure, ...]:
    """Return heatmaps framed alike; below the last there is room for what explains the colors of all.

    Args:
        titles: plain text above each; empty where it has none.
        figures: from `heatmap`, one or more.
        cells_height: of one panel without its title and labels, pixels.
        column: the least width of a column, pixels.
        upright: whether column labels stand upright.
    """
    panels: list[Figure] = []
    is_above = figures[0]["layout"]["xaxis"].get("side") == "top"
    # The same above all, so that the cells of a line begin at one height.
    room = max(_room_for_columns(figure["layout"]["xaxis"], upright) for figure in figures)
    for title, figure in zip(titles, figures, strict=True):
        own, last = figure["layout"], len(panels) == len(figures) - 1
        rows, columns = own["yaxis"], own["xaxis"]
        count = len(figure["data"][0]["z"][0])
        layout = {
            "coloraxis": {**own["coloraxis"], "showscale": last and own["coloraxis"]["showscale"]},
            "meta": {"min_width": least_width(rows["ticktext"], rows.get("title"), count, column, title)},
            "xaxis": {**columns, "tickangle": -90 if upright else 0},
            "yaxis": rows,
        }
        below = theme.MARGIN["b"] if is_above else _room_for_columns(columns, upright)
        above = room if is_above else 0
        panels.append(panel_figure(title, figure["data"][0], layout, cells_height, below, last, above))
    return tuple(panels)


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


def _room_for_columns(axis: Mapping[str, Any], upright: bool) -> int:
    """Pixels that column labels and the title of their axis take below a panel, or above it."""
    title = _AXIS_TITLE if "title" in axis else _EDGE
    return title + (longest_line(axis["ticktext"]) if upright else _LEVEL_LABEL)
