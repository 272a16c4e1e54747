"""Heatmaps with a label for each row and column: one function draws all of them, alone or side by side."""

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Doubles, Floats
from core.figures import theme
from core.figures.label_fit import MIN_COLUMN, least_width, longest_line
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, number

Bar = Literal["right", "below", "none"]
Texts = Sequence[Sequence[str]]  # with the shape of the values

_MAX_TICKS = 64  # labels along one axis; beyond, every k-th is written, and hover shows all
_BAR_HEIGHT, _BAR_WIDTH = 60, 60  # pixels of a color bar below the figure, or beside it

_MAX_WITH_GAPS = 32  # rows or columns
_ROW_HEIGHT = 32  # pixels, if all rows fit below `_MAX_HEIGHT`
_MIN_ROW_HEIGHT = 18  # pixels, enough for a label
_LABELS_HEIGHT = 200  # pixels for the title and upright column labels
_MIN_HEIGHT, _MAX_HEIGHT = 360, 760  # pixels of the whole figure, if labels can be read

# Pixels of a panel: its title, a label on one line, the title of the columns, and the margin without one.
_TITLE, _LEVEL_LABEL, _AXIS_TITLE, _EDGE = 34, 16, 46, 24

# A point of the signed scale, from 0 to 1: white is easier to read below, black above; its red is bright enough.
_DARK_BLUE = 0.04

_BARS: dict[Bar, dict[str, Any]] = {
    # Of a fixed length at the top: otherwise it would grow with the tall column of cells on a phone.
    "right": {"nticks": 6, "lenmode": "pixels", "len": 190, "y": 1, "yanchor": "top"},
    "below": {
        "nticks": 4,
        "tickangle": 0,
        "orientation": "h",
        "len": 0.9,
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
    },
    "none": {},
}


def color_axis(color_range: tuple[float, float] | None, bar: Bar = "right") -> dict[str, Any]:
    """Return a color axis for a range, or for the range of the values if it is None.

    A color bar below the figure takes no width on a phone.
    """
    low, high = color_range or (None, None)
    return {"cmin": low, "cmax": high, "showscale": bar != "none", "colorbar": _BARS[bar]}


def signed_axis(highest: float) -> dict[str, Any]:
    """Return a color axis from -highest to highest in the theme's diverging scale, with 0 as the palest color."""
    return {**color_axis((-highest, highest), "below"), "autocolorscale": True}


_FROM_VALUES = color_axis(None)
_HOVER = N_("{row}, {column}: {value:z.2f}")


def heatmap(
    values: ArrayLike,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    title: str = "",
    row_title: str = "",
    column_title: str = "",
    hover: str | Texts = _HOVER,
    texts: str | Texts = "",
    colors: Mapping[str, Any] = _FROM_VALUES,
    column: float = MIN_COLUMN,
    most_labels: int = _MAX_TICKS,
    height: int | None = None,
) -> Figure:
    """Draw a matrix, row 0 on top. Labels, titles and hover texts are plain text, shortened and escaped here.

    Args:
        values: numbers, shape (rows, columns); NaN cells stay blank and have no hover text.
        row_labels: a label for each row; they may repeat.
        column_labels: a label for each column.
        title: title above the figure.
        row_title: title of the rows.
        column_title: title of the columns.
        hover: a text for each cell, or a template for `str.format` with row, column (labels) and value.
        texts: markup for each cell, or a format for the values: ".2f".
        colors: color axis, from `color_axis` or `signed_axis`.
        column: minimum width of a column, pixels.
        most_labels: the largest number of labels along each axis.
        height: height of the whole figure, pixels; None for rows of a comfortable height.
    """
    matrix = np.asarray(values, np.float64)
    if not matrix.size:
        return theme.message_figure(_("Nothing to show yet"), height or theme.HEIGHT)
    width = least_width(row_labels, row_title, min(len(column_labels), most_labels), column)
    layout = {
        "title": {"text": theme.escaped(title)},
        "coloraxis": colors,
        "meta": {"min_width": width + (_BAR_WIDTH if colors["showscale"] else 0)},
        "xaxis": label_axis(column_labels, column_title, most=most_labels),
        "yaxis": label_axis(row_labels, row_title, down=True, most=most_labels),
        "margin": {} if title else {"t": theme.TOOLBAR},
    }
    trace = _cells(matrix, _hover_texts(matrix, row_labels, column_labels, hover), texts, colors)
    comfortable = min(max(_MIN_HEIGHT, _LABELS_HEIGHT + len(row_labels) * _ROW_HEIGHT), _MAX_HEIGHT)
    least = _LABELS_HEIGHT + min(len(row_labels), _MAX_TICKS) * _MIN_ROW_HEIGHT
    return theme.plain_figure([trace], layout, height or max(comfortable, least))


class _Written(float):
    """A number that a template writes as the reader's language does."""

    def __format__(self, spec: str) -> str:
        return number(float(self), spec)


def _hover_texts(matrix: Doubles, rows: Sequence[str], columns: Sequence[str], hover: str | Texts) -> Texts:
    if not isinstance(hover, str):
        return hover
    template = _(hover)
    return [
        [
            "" if math.isnan(value) else template.format(row=row, column=column, value=_Written(value))
            for column, value in zip(columns, cells, strict=True)
        ]
        for row, cells in zip(rows, matrix.tolist(), strict=True)
    ]


def _cells(matrix: Doubles, hover: Texts, texts: str | Texts, colors: Mapping[str, Any]) -> PlotlyTrace:
    """Return the cells, in the colors of the figure's color axis.

    Small gaps make cells countable; they are left out among many cells, which they would hide.
    """
    if isinstance(texts, str) and texts:
        texts = _number_texts(matrix, texts, colors)
    gap = 2 if texts else 1
    trace: PlotlyTrace = {
        "type": "heatmap",
        "z": [[None if math.isnan(value) else value for value in row] for row in matrix.tolist()],
        "customdata": [[theme.escaped(text) for text in row] for row in hover],
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "coloraxis": "coloraxis",
        "xgap": gap if matrix.shape[1] <= _MAX_WITH_GAPS else 0,
        "ygap": gap if matrix.shape[0] <= _MAX_WITH_GAPS else 0,
    }
    if texts:
        trace |= {"text": texts, "texttemplate": "%{text}", "textfont": {"size": theme.TICK_SIZE}}
    return trace


def dense_trace(values: Floats, hovertemplate: str) -> PlotlyTrace:
    """Return a heatmap of too many cells for labels, sent as bytes, which take a third of the size of digits."""
    z = encoded(values.astype(np.float32))
    return {"type": "heatmap", "z": z, "hovertemplate": hovertemplate, "coloraxis": "coloraxis"}


def encoded(matrix: NDArray[Any]) -> dict[str, str]:
    """Return a matrix as Plotly reads it from bytes."""
    kind = f"{matrix.dtype.kind}{matrix.dtype.itemsize}"
    shape = ", ".join(map(str, matrix.shape))
    return {"dtype": kind, "bdata": base64.b64encode(matrix.tobytes()).decode(), "shape": shape}


def label_axis(
    labels: Sequence[str], title: str, *, down: bool = False, most: int = _MAX_TICKS
) -> dict[str, Any]:
    """Return an axis with one position for each label; labels and title are plain text.

    Positions are numbers, because Plotly merges categories with the same name, and sentences repeat words. `down` puts
    position 0 at the top of a y axis; at most `most` labels are written.
    """
    positions = theme.tick_positions(len(labels), most)
    ends = [-0.5, len(labels) - 0.5]
    return theme.axis(
        theme.escaped(title),
        tickmode="array",
        tickvals=list(positions),
        ticktext=[theme.escaped(theme.shortened(labels[position])) for position in positions],
        range=ends[::-1] if down else ends,
        autotickangles=[0, -45, -90],  # the first angle at which labels do not overlap
        showgrid=False,
    )


def side_by_side(
    titles: Sequence[str],
    figures: Sequence[Figure],
    cells_height: int,
    column: float = MIN_COLUMN,
    *,
    upright: bool = False,
) -> tuple[Figure, ...]:
    """Return heatmaps as panels of the same height, for the browser to place side by side as they fit.

    The last panel has the color bar or legend of all, if any.

    Args:
        titles: plain text above each panel; "" for no title.
        figures: one or more heatmaps with labels, or of dense cells with their own width.
        cells_height: height of a panel without title and labels, pixels.
        column: minimum width of a column, pixels.
        upright: whether column labels stand upright.
    """
    panels: list[Figure] = []
    for title, figure in zip(titles, figures, strict=True):
        own = figure["layout"]
        last = len(panels) == len(figures) - 1
        rows, columns, trace = own["yaxis"], own["xaxis"], figure["data"][0]
        top = _TITLE if title else theme.TOOLBAR
        labels = longest_line(columns["ticktext"]) if upright else _LEVEL_LABEL
        has_bar = last and own["coloraxis"].get("colorbar") != _BARS["none"]
        bottom = labels + (_AXIS_TITLE if "title" in columns else _EDGE) + (_BAR_HEIGHT if has_bar else 0)
        note = {
            "text": theme.escaped(title),
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "xref": "paper",
        }
        width = own["meta"]["min_width"]
        if "ticktext" in rows:
            width = least_width(rows["ticktext"], rows.get("title"), len(trace["z"][0]), column, title)
        layout = {
            "annotations": [{**note, "yref": "paper"}] if title else [],
            "margin": {"t": top, "b": bottom},
            "coloraxis": {**own["coloraxis"], "showscale": last and own["coloraxis"]["showscale"]},
            "meta": {"min_width": width},
            "xaxis": {**columns, "tickangle": -90 if upright else 0},
            "yaxis": rows,
        }
        panels.append(theme.plain_figure([trace], layout, top + cells_height + bottom))
    return tuple(panels)


def add_key(figure: Figure, colors: Mapping[str, str]) -> None:
    """Give a heatmap of a few colors a legend, which it cannot have itself: what each color means."""
    figure["data"] += [
        {
            "type": "scatter",
            "x": [None],
            "y": [None],
            "mode": "markers",
            "name": meaning,
            "marker": {"color": color, "size": 15, "symbol": "square"},
        }
        for meaning, color in colors.items()
    ]
    figure["layout"] |= {"showlegend": True, "legend": {"itemclick": False, "itemdoubleclick": False}}


def _number_texts(values: ArrayLike, number_format: str, colors: Mapping[str, Any]) -> list[list[str]]:
    """Return each value as markup that is readable on its cell's color; blank for NaN."""
    low, high = colors["cmin"] or 0.0, colors["cmax"] or 1.0

    def markup(value: float) -> str:
        if math.isnan(value):
            return ""
        text = number(value, f"z{number_format}")
        share = (value - low) / (high - low)
        if "autocolorscale" in colors:
            return text if share > _DARK_BLUE else white(text)
        return on_share(text, share)

    return [[markup(value) for value in row] for row in np.asarray(values, np.float64).tolist()]


def on_share(text: str, share: float) -> str:
    """Return markup that is readable on the color of a share: in white or, on a pale one, in the page's own color."""
    return white(text) if share > theme.STRONG else text


def is_pale(share: float) -> bool:
    """Return whether black is easy to read on the signed scale at a point from -1 to 1."""
    return (share + 1) / 2 > _DARK_BLUE


def white(text: str) -> str:
    """Return markup in white."""
    return f'<span style="color:{theme.WHITE}">{text}</span>'
