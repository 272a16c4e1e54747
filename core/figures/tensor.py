"""A batch of embedded sentences, (batch, length, width): the whole block, and one slice of it as colors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.figures import theme
from core.figures.color_bar import signed_axis
from core.figures.heatmap import dense_trace, label_axis
from core.figures.theme import Figure, Trace

Axis = Literal["sentence", "position", "channel"]
AXES: tuple[Axis, ...] = ("sentence", "position", "channel")  # in the order of the tensor's shape
AXIS_NAMES = ("batch", "length", "width")  # what the sizes are called

_ROW_HEIGHT, _MIN_HEIGHT, _MARGINS_HEIGHT = 34, 300, 130  # pixels
_BLOCK_HEIGHT = 330  # pixels
_SHEET = (10.0, 6.0)  # width and height of a drawn sentence
_STEP = (1.7, 1.5)  # from a sheet to the one behind it
_INSIDE = 0.99  # of the numbers lie within the color scale: a few huge ones must not make the others pale
_THINNEST = 0.16  # of a strip: one of 256 channels must be visible


@dataclass(frozen=True, eq=False)
class TensorSliceInfo:
    """What is left of a tensor when one of its three indices is fixed."""

    shape: tuple[int, int, int]  # (B, T, D)
    axis: Axis  # whose index is fixed
    index: int  # from 0
    values: NDArray[np.float32]  # the two axes that are left
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]  # empty for channels, which are numbered
    tokens: tuple[tuple[str, ...], ...]  # one in each cell of a slice through a channel; else empty
    limit: float  # the ends of the color scale: some numbers of the tensor lie beyond

    @property
    def left(self) -> str:
        """The axes that are left, with their sizes: "(length, width) = (8, 256)"."""
        kept = [place for place, axis in enumerate(AXES) if axis != self.axis]
        names = ", ".join(AXIS_NAMES[place] for place in kept)
        return f"({names}) = ({', '.join(f'{self.shape[place]:,}' for place in kept)})"


def tensor_slice_info(
    tensor: ArrayLike, tokens: Sequence[Sequence[str]], axis: Axis, index: int
) -> TensorSliceInfo:
    """Fix one index of a tensor.

    Args:
        tensor: shape (B, T, D).
        tokens: of each sentence, T of them.
        axis: whose index is fixed.
        index: from 0.
    """
    values = np.asarray(tensor, np.float32)
    sentences, length, width = values.shape
    rows, columns = _labels(tokens, axis, index)
    return TensorSliceInfo(
        shape=(sentences, length, width),
        axis=axis,
        index=index,
        values=np.take(values, index, axis=AXES.index(axis)),
        row_labels=tuple(rows),
        column_labels=tuple(columns),
        tokens=tuple(map(tuple, tokens)) if axis == "channel" else (),
        limit=float(np.quantile(np.abs(values), _INSIDE)),
    )


def tensor_slice_figure(info: TensorSliceInfo) -> Figure:
    """Draw a slice as colors, blue below 0 and red above.

    A slice through a channel has its sentences side by side: there are few of them, and they fit a phone.
    """
    rows, columns, values, tokens = info.row_labels, info.column_labels, info.values, info.tokens
    row_title, column_title = "token", "channel"
    if info.axis == "channel":
        rows, columns = columns, tuple(str(number + 1) for number in range(len(rows)))
        values, tokens = values.T, tuple(zip(*tokens, strict=True))
        row_title, column_title = "position", "sentence"
    height = max(_MIN_HEIGHT, _MARGINS_HEIGHT + _ROW_HEIGHT * len(rows))
    channels = {"nticks": 9, "title": {"text": column_title}}
    layout = {
        "margin": {"t": 16, "b": 96},
        "coloraxis": signed_axis(info.limit or 1.0),
        "xaxis": label_axis(columns, column_title) if columns else channels,
        "yaxis": label_axis(rows, row_title, down=True),
    }
    return theme.plain_figure([_cells(values, tokens)], layout, height)


def tensor_block_figure(info: TensorSliceInfo) -> Figure:
    """Draw the block as one sheet a sentence, the first in front, with the slice marked."""
    sentences, length, width = info.shape
    traces = []
    for sentence in reversed(range(sentences)):
        whole = info.axis == "sentence" and info.index == sentence
        traces.append(_sheet(sentence, (0.0, 1.0), (0.0, 1.0), marked=whole))
        if info.axis == "position":
            traces.append(_sheet(sentence, (0.0, 1.0), _strip(info.index, length), marked=True))
        if info.axis == "channel":
            traces.append(_sheet(sentence, _strip(info.index, width), (0.0, 1.0), marked=True))
    right, top = _SHEET
    last = (sentences - 1) * _STEP[0], (sentences - 1) * _STEP[1]
    layout = {
        "showlegend": False,
        "hovermode": False,
        "margin": {"l": 0, "r": 0, "t": 8, "b": 8},
        "xaxis": {"visible": False, "range": [-1.6, right + last[0] + 0.2]},
        "yaxis": {"visible": False, "range": [-1.2, top + last[1] + 0.3]},
        "annotations": [
            {"text": f"width: {width:,}", "x": right / 2, "y": -0.25, "yanchor": "top"},
            {"text": f"length: {length:,}", "x": -0.3, "y": top / 2, "textangle": -90, "xanchor": "right"},
            {
                "text": f"batch: {sentences}", "x": last[0] / 2 - 0.3, "y": top + last[1] / 2 + 0.3,
                "xanchor": "right", "yanchor": "bottom",
            },
        ],
    }  # fmt: skip
    return theme.plain_figure(traces, layout, _BLOCK_HEIGHT)


def _labels(tokens: Sequence[Sequence[str]], axis: Axis, index: int) -> tuple[list[str], list[str]]:
    """Of the rows and the columns of a slice; channels go by their numbers and have none."""
    if axis == "sentence":
        return [f"{place} {token}" for place, token in enumerate(tokens[index])], []
    if axis == "position":
        return [f"{number}: {row[index]}" for number, row in enumerate(tokens, start=1)], []
    return (
        [f"Sentence {number}" for number in range(1, len(tokens) + 1)],
        [str(place) for place in range(len(tokens[0]) if tokens else 0)],
    )


def _cells(values: NDArray[np.float32], tokens: Sequence[Sequence[str]]) -> Trace:
    """The numbers; y in the hover text is as its label has it."""
    if not tokens:
        return {**dense_trace(values, "%{y}, channel %{x}: %{z:.3f}<extra></extra>"), "ygap": 1}
    return {
        **dense_trace(values, "%{customdata}: %{z:.3f}<extra></extra>"),
        "customdata": [[theme.escaped(token) for token in row] for row in tokens],
        "text": [[theme.escaped(theme.shortened(token, 10)) for token in row] for row in tokens],
        "texttemplate": "%{text}",
        "textfont": {"size": theme.TICK_SIZE, "color": theme.BLACK},
        "xgap": 1,
        "ygap": 1,
    }


def _strip(index: int, count: int) -> tuple[float, float]:
    """Where one of many lies between 0 and 1, thick enough to be seen."""
    half = max(1 / count, _THINNEST / _SHEET[1]) / 2
    middle = (index + 0.5) / count
    return max(0.0, middle - half), min(1.0, middle + half)


def _sheet(sentence: int, across: tuple[float, float], down: tuple[float, float], marked: bool) -> Trace:
    """A rectangle on a sheet, in parts of its width and height from its upper left corner."""
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
