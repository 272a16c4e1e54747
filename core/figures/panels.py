"""Panels of one size, side by side or one below the other, with room below all of them for what explains colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.figures.heatmap import label_axis
from core.figures.label_fit import longest_label

Place = dict[str, int]  # "row" and "col", as Plotly's methods take them

_TITLE, _AXIS_TITLE, _LEVEL_LABEL, _FOOT = 34, 46, 16, 60  # pixels; the foot has a legend or a colour bar
_GAP = 0.03  # of the width, between two that stand side by side


class Labelled(Protocol):
    """What has labelled rows and columns. All text is plain."""

    @property
    def row_labels(self) -> tuple[str, ...]: ...
    @property
    def column_labels(self) -> tuple[str, ...]: ...
    @property
    def row_title(self) -> str: ...
    @property
    def column_title(self) -> str: ...


def panels_figure(
    titles: Sequence[str], across: int, panel: int, below: int
) -> tuple[go.Figure, tuple[Place, ...]]:
    """An empty figure with places for panels, row by row.

    Args:
        titles: of all panels, plain text; empty where they have none.
        across: how many stand side by side; the others go below.
        panel: height of one, pixels.
        below: what each needs for the labels and the title of its columns, pixels.

    Returns:
        The figure, and the place of each panel.
    """
    down = math.ceil(len(titles) / across)
    inner = down * panel + (down - 1) * (below + _TITLE)
    top = _TITLE if any(titles) else theme.MARGIN["b"]
    figure = make_subplots(
        rows=down,
        cols=across,
        subplot_titles=[theme.escaped(title) for title in titles],
        horizontal_spacing=_GAP,
        vertical_spacing=(below + _TITLE) / inner if down > 1 else 0,  # as a part of all panels and gaps
    )
    theme.apply_theme(figure, top + inner + below + _FOOT)
    figure.update_annotations(font_size=theme.FONT_SIZE)
    figure.update_layout(margin_t=top, margin_b=below + _FOOT)
    places = tuple({"row": n // across + 1, "col": n % across + 1} for n in range(len(titles)))
    return figure, places


def label_panel(figure: go.Figure, info: Labelled, place: Place, upright: bool = False) -> None:
    """Label a panel's columns, and its rows where it is the first of its line: they are the same in all.

    Args:
        figure: from `panels_figure`, changed in place.
        info: what the panel shows.
        place: of the panel.
        upright: whether column labels stand upright.
    """
    first = place["col"] == 1
    columns = {**label_axis(info.column_labels), "tickangle": -90 if upright else 0}
    figure.update_xaxes(**columns, title_text=theme.escaped(info.column_title), **place)
    figure.update_yaxes(
        **label_axis(info.row_labels, down=True),
        title_text=theme.escaped(info.row_title) if first else "",
        showticklabels=first,
        **place,
    )


def room_for_columns(labels: Iterable[str], upright: bool = False) -> int:
    """Pixels that column labels and the title of their axis take below a panel."""
    return _AXIS_TITLE + (longest_label(labels) if upright else _LEVEL_LABEL)
