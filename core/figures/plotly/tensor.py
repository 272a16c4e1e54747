"""A batch of embedded sentences, (batch, length, width): the whole block, and one slice as a heatmap."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Floats
from core.figures import theme
from core.figures.plotly.heatmap import dense_trace, label_axis, signed_axis
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, number, titled

Axis = Literal["sentence", "position", "channel"]
AXES: tuple[Axis, ...] = ("sentence", "position", "channel")  # in the order of the tensor's shape
_AXIS_NAMES = (N_("batch"), N_("length"), N_("width"))  # names of the sizes

_ROW_HEIGHT, _MIN_HEIGHT, _MARGINS_HEIGHT = 34, 300, 130  # pixels
_BLOCK_HEIGHT = 330  # pixels
_SHEET = (10.0, 6.0)  # width and height of a sentence's sheet
_STEP = (1.7, 1.5)  # offset from a sheet to the one behind it
_INSIDE = 0.99  # share of the numbers within the color scale: a few huge ones must not make the others pale
_THINNEST = 0.16  # width of a strip, so that one of 256 channels is visible


def kept_axes(shape: tuple[int, ...], axis: Axis) -> str:
    """Return the axes that a slice of (B, T, D) leaves, with their sizes: "(length, width) = (8, 256)"."""
    kept = [place for place, name in enumerate(AXES) if name != axis]
    names = ", ".join(_(_AXIS_NAMES[place]) for place in kept)
    return f"({names}) = ({', '.join(number(shape[place], ',') for place in kept)})"


def color_limit(tensor: ArrayLike) -> float:
    """Return the largest absolute value of the color scale; 1 % of the tensor's numbers lie beyond."""
    return float(np.quantile(np.abs(tensor), _INSIDE)) or 1.0


def tensor_slice_figure(tensor: ArrayLike, tokens: Sequence[Sequence[str]], axis: Axis, index: int) -> Figure:
    """Draw a slice of a tensor with one of its three indices fixed, blue below 0 and red above.

    A slice at a channel has its few sentences side by side, so that it fits a phone.

    Args:
        tensor: shape (B, T, D).
        tokens: the T tokens of each sentence.
        axis: the axis with a fixed index.
        index: the index, from 0.
    """
    values = np.take(np.asarray(tensor, np.float32), index, axis=AXES.index(axis))
    channels = theme.axis(_("channel"), nticks=9)
    if axis == "channel":
        rows = [str(place) for place in range(values.shape[1])]
        channels = label_axis([str(place) for place in range(1, len(tokens) + 1)], _("sentence"))
        trace = _tokens_trace(values.T, list(zip(*tokens, strict=True)))
    else:
        rows = (
            [f"{place} {token}" for place, token in enumerate(tokens[index])]
            if axis == "sentence"
            else [titled(str(place), row[index]) for place, row in enumerate(tokens, start=1)]
        )
        # %{y} in the hover text is the row's label.
        hover = _("{token}, channel {channel}: {value}").format(
            token="%{y}", channel="%{x}", value="%{z:.3f}"
        )
        trace = {**dense_trace(values, f"{hover}<extra></extra>"), "ygap": 1}
    layout = {
        "margin": {"t": theme.TOOLBAR, "b": 96},
        "coloraxis": signed_axis(color_limit(tensor)),
        "xaxis": channels,
        "yaxis": label_axis(rows, _("position") if axis == "channel" else _("token"), down=True),
    }
    return theme.plain_figure([trace], layout, max(_MIN_HEIGHT, _MARGINS_HEIGHT + _ROW_HEIGHT * len(rows)))


def tensor_block_figure(shape: tuple[int, ...], axis: Axis, index: int) -> Figure:
    """Draw a tensor of shape (B, T, D) as one sheet per sentence, the first in front, with a slice marked."""
    sentences, length, width = shape
    traces = []
    whole = (0.0, 1.0)
    for sentence in reversed(range(sentences)):
        traces.append(_sheet(sentence, whole, whole, marked=axis == "sentence" and index == sentence))
        if axis == "position":
            traces.append(_sheet(sentence, whole, _strip(index, length), marked=True))
        if axis == "channel":
            traces.append(_sheet(sentence, _strip(index, width), whole, marked=True))
    right, top = _SHEET
    last = (sentences - 1) * _STEP[0], (sentences - 1) * _STEP[1]
    layout = {
        "showlegend": False,
        "hovermode": False,
        "margin": {"l": 0, "r": 0, "t": 8, "b": 8},
        "xaxis": {"visible": False, "range": [-1.6, right + last[0] + 0.2]},
        "yaxis": {"visible": False, "range": [-1.2, top + last[1] + 0.3]},
        "annotations": [
            {
                "text": _("width: {size}").format(size=number(width, ",")),
                "x": right / 2,
                "y": -0.25,
                "yanchor": "top",
            },
            {
                "text": _("length: {size}").format(size=number(length, ",")),
                "x": -0.3,
                "y": top / 2,
                "textangle": -90,
                "xanchor": "right",
            },
            {
                "text": _("batch: {size}").format(size=sentences),
                "x": last[0] / 2 - 0.3,
                "y": top + last[1] / 2 + 0.3,
                "xanchor": "right",
                "yanchor": "bottom",
            },
        ],
    }
    return theme.plain_figure(traces, layout, _BLOCK_HEIGHT)


def _tokens_trace(values: Floats, tokens: Sequence[Sequence[str]]) -> PlotlyTrace:
    """Return a heatmap of one channel of every token, with the token in its cell."""
    return {
        **dense_trace(values, "%{customdata}: %{z:.3f}<extra></extra>"),
        "customdata": [[theme.escaped(token) for token in row] for row in tokens],
        "text": [[theme.escaped(theme.shortened(token, 10)) for token in row] for row in tokens],
        "texttemplate": "%{text}",
        "textfont": {"size": theme.TICK_SIZE},
        "xgap": 1,
        "ygap": 1,
    }


def _strip(index: int, count: int) -> tuple[float, float]:
    """Return the range from 0 to 1 of one index among many, wide enough to be visible."""
    half = max(1 / count, _THINNEST / _SHEET[1]) / 2
    middle = (index + 0.5) / count
    return max(0.0, middle - half), min(1.0, middle + half)


def _sheet(
    sentence: int, across: tuple[float, float], down: tuple[float, float], marked: bool
) -> PlotlyTrace:
    """Return a rectangle on a sheet, given as shares of its width and height from the upper left corner."""
    width, height = _SHEET
    left, bottom = sentence * _STEP[0], sentence * _STEP[1]
    return {
        "type": "scatter",
        "x": [left + width * across[side] for side in (0, 1, 1, 0, 0)],
        "y": [bottom + height * (1 - down[side]) for side in (0, 0, 1, 1, 0)],
        "mode": "lines",
        "fill": "toself",
        "line": {"color": theme.BLUE if marked else theme.GREY, "width": 2},
        "fillcolor": theme.BLUE if marked else theme.GRID,
        "opacity": 0.85 if marked else 1.0,
    }
