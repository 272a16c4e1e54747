"""A matrix as colors, with a label for each row and column."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.figures import theme
from core.figures.color_bar import BAR_WIDTH, color_axis
from core.figures.label_fit import MIN_COLUMN, Labelled, panel_width
from core.figures.theme import Figure, Trace

MAX_TICKS = 64  # labels along one axis; above that, every k-th is written and hover has them all

_MAX_WITH_GAPS = 32  # rows or columns
_ROW_HEIGHT = 32  # pixels, if they fit on a screen
_MIN_ROW_HEIGHT = 18  # pixels, for a label of its own
_LABELS_HEIGHT = 200  # pixels, for the title and upright column labels
_MIN_HEIGHT, SCREEN_HEIGHT = 360, 760  # pixels, of the whole figure

# The browser knows how high the labels are: it keeps the title at the top and makes room for both, but only
# where the title does not fit into the margin that a figure has anyway (Plotly 4.2), which must be small.
_OVER_LABELS = {
    "automargin": True,
    "yref": "container",
    "y": 1,
    "yanchor": "top",
    "pad": {"l": 4, "t": 8, "b": 8},
}


@dataclass(frozen=True)
class HeatmapInfo:
    """What a heatmap shows. All text is plain: nothing is shortened or escaped yet."""

    values: tuple[tuple[float | None, ...], ...]  # rows of columns; None = left blank
    row_labels: tuple[str, ...]  # from the top
    column_labels: tuple[str, ...]  # from the left
    hover: tuple[tuple[str, ...], ...]  # in the shape of the values
    row_title: str = ""
    column_title: str = ""
    color_range: tuple[float, float] | None = None  # None = from the lowest to the highest value


def heatmap_info(
    values: ArrayLike,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    row_title: str = "",
    column_title: str = "",
    hover_format: str = "{row}, {column}: {value:z.2f}",
    color_range: tuple[float, float] | None = None,
) -> HeatmapInfo:
    """Name each cell of a matrix.

    Args:
        values: numbers, shape (rows, columns); NaN cells stay blank and have no hover text.
        row_labels: one for each row, the same one more than once if need be.
        column_labels: one for each column.
        row_title: what the rows are.
        column_title: what the columns are.
        hover_format: for `str.format` with row, column (labels) and value.
        color_range: lowest and highest value of the color scale, or None to take them from the data.

    Returns:
        The info.

    Raises:
        ValueError: the shape of the values is not that of the labels.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (len(row_labels), len(column_labels)):
        raise ValueError(
            f"values must have the shape {(len(row_labels), len(column_labels))}, as there are labels. "
            f"Received: {values.shape}"
        )
    cells = tuple(tuple(None if math.isnan(value) else value for value in row) for row in values.tolist())
    hover = tuple(
        tuple(
            "" if value is None else hover_format.format(row=row_label, column=column_label, value=value)
            for column_label, value in zip(column_labels, row, strict=True)
        )
        for row_label, row in zip(row_labels, cells, strict=True)
    )
    return HeatmapInfo(
        cells, tuple(row_labels), tuple(column_labels), hover, row_title, column_title, color_range
    )


def heatmap_figure(
    info: HeatmapInfo,
    title: str = "",
    most_columns: int = MAX_TICKS,
    screen_height: int = SCREEN_HEIGHT,
    columns_above: bool = False,
) -> Figure:
    """Draw one matrix, row 0 on top.

    Args:
        info: from `heatmap_info`; one without cells gives a figure that says so.
        title: plain text above it.
        most_columns: the most columns to label.
        screen_height: pixels that rows of a comfortable height may take; more rows are lower.
        columns_above: whether column labels stand above the cells, where the first screen has them even if
            it ends before the last row.

    Returns:
        The figure.
    """
    rows = len(info.row_labels)
    on_screen = min(max(_MIN_HEIGHT, _LABELS_HEIGHT + rows * _ROW_HEIGHT), screen_height)
    height = max(on_screen, _LABELS_HEIGHT + min(rows, MAX_TICKS) * _MIN_ROW_HEIGHT)
    if not rows or not info.column_labels:
        return theme.message_figure("Nothing to show yet", height)
    width = panel_width(info, min(len(info.column_labels), most_columns), MIN_COLUMN)
    layout = {
        "title": {"text": theme.escaped(title), **(_OVER_LABELS if columns_above else {})},
        "coloraxis": color_axis(info.color_range),
        "meta": {"min_width": width + BAR_WIDTH},
        **label_axes(info, most_columns, columns_above=columns_above),
        **({"margin": {"t": theme.MARGIN["b"]}} if columns_above else {}),
    }
    return theme.plain_figure([heatmap_trace(info.values, info.hover)], layout, height)


def heatmap_trace(
    values: Sequence[Sequence[float | None]],
    hover: Sequence[Sequence[str]],
    texts: Sequence[Sequence[str]] = (),
    gap: int = 1,
) -> Trace:
    """The cells, in the colors of the figure's axis of colors.

    Args:
        values: rows of columns; None is left blank.
        hover: plain text of each cell.
        texts: markup in each cell, or nothing at all.
        gap: pixels between two cells. Small gaps let people count them; among very many cells they
            would be all there is to see, and are left out.
    """
    trace: Trace = {
        "type": "heatmap",
        "z": values,
        "customdata": [[theme.escaped(text) for text in row] for row in hover],
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "coloraxis": "coloraxis",
        "xgap": gap if values and len(values[0]) <= _MAX_WITH_GAPS else 0,
        "ygap": gap if len(values) <= _MAX_WITH_GAPS else 0,
    }
    if texts:
        trace |= {"text": texts, "texttemplate": "%{text}", "textfont": {"size": theme.TICK_SIZE}}
    return trace


def dense_trace(values: NDArray[np.float32], hovertemplate: str) -> Trace:
    """Cells of an array, too many for labels; sent as bytes, a third of the size of digits.

    Args:
        values: shape (rows, columns).
        hovertemplate: for all cells, as Plotly has it.
    """
    matrix = np.ascontiguousarray(values, "<f4")
    z = {
        "dtype": "f4",
        "bdata": base64.b64encode(matrix.tobytes()).decode(),
        "shape": ", ".join(map(str, matrix.shape)),
    }
    return {"type": "heatmap", "z": z, "hovertemplate": hovertemplate, "coloraxis": "coloraxis"}


def label_axes(
    info: Labelled,
    most_columns: int = MAX_TICKS,
    most_rows: int = MAX_TICKS,
    *,
    columns_above: bool = False,
) -> dict[str, Any]:
    """Both axes of a labelled matrix, row 0 on top, for a figure's layout."""
    columns = label_axis(info.column_labels, info.column_title, most=most_columns)
    if columns_above:
        columns["side"] = "top"
    return {"xaxis": columns, "yaxis": label_axis(info.row_labels, info.row_title, down=True, most=most_rows)}


def label_axis(
    labels: Sequence[str], title: str, *, down: bool = False, most: int = MAX_TICKS
) -> dict[str, Any]:
    """Settings of an axis with one position for each label.

    Positions are numbers, because Plotly merges categories with the same name and sentences
    repeat words.

    Args:
        labels: plain text.
        title: of the axis, plain text. An empty one is left out: Plotly would keep room for it.
        down: whether position 0 is at the end of the axis, which is the top of a y axis.
        most: the most labels to write.

    Returns:
        The axis, for a figure's layout.
    """
    positions = theme.tick_positions(len(labels), most)
    ends = [-0.5, len(labels) - 0.5]
    return {
        "tickmode": "array",
        "tickvals": list(positions),
        "ticktext": [theme.escaped(theme.shortened(labels[position])) for position in positions],
        "range": ends[::-1] if down else ends,
        "autotickangles": [0, -45, -90],  # the first at which no label runs into the next
        "showgrid": False,
        **({"title": {"text": theme.escaped(title)}} if title else {}),
    }
