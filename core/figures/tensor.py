"""A batch of embedded sentences, (batch, length, width): the whole block, and one slice of it as colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from core.figures import theme
from core.figures.color_bar import signed_axis
from core.figures.heatmap import label_axis

Axis = Literal["sentence", "position", "channel"]
AXES: tuple[Axis, ...] = ("sentence", "position", "channel")  # in the order of the tensor's shape
AXIS_NAMES = ("batch", "length", "width")  # what the sizes are called

_ROW_HEIGHT, _LEAST_HEIGHT, _MARGINS_HEIGHT = 34, 300, 130  # pixels
_BLOCK_HEIGHT = 330  # pixels
_SHEET = (10.0, 6.0)  # width and height of a drawn sentence
_STEP = (1.7, 1.5)  # from a sheet to the one behind it
_INSIDE = 0.99  # of the numbers, so that a few huge ones do not make all others pale
_THINNEST = 0.16  # of a strip, so that one of 256 channels can be seen


@dataclass(frozen=True, eq=False)
class TensorSliceInfo:
    """What is left of a tensor when one of its three indices is fixed.

    Raises:
        ValueError: the sizes of the fields do not fit together.
    """

    shape: tuple[int, int, int]  # (B, T, D)
    axis: Axis  # whose index is fixed
    index: int  # from 0
    values: NDArray[np.float32]  # the two axes that are left
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]  # empty for channels, which are numbered
    tokens: tuple[tuple[str, ...], ...]  # one in each cell of a slice through a channel; else empty
    limit: float  # the ends of the colour scale: some numbers of the tensor lie beyond

    def __post_init__(self) -> None:
        columns = len(self.column_labels) or self.shape[2]
        if self.values.shape != (len(self.row_labels), columns):
            raise ValueError(
                f"values must have the shape {(len(self.row_labels), columns)}, as there are labels. "
                f"Received: {self.values.shape}"
            )

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

    Raises:
        ValueError: there is no such index, or there are not as many tokens as positions.
    """
    values = np.asarray(tensor, np.float32)
    sentences, length, width = values.shape
    if [len(row) for row in tokens] != [length] * sentences:
        raise ValueError(f"There must be {sentences} rows of {length} tokens. Received: {tokens!r:.80}")
    if not 0 <= index < values.shape[AXES.index(axis)]:
        raise ValueError(f"There must be a {axis} {index} in {values.shape}.")
    rows, columns = _labels(tokens, axis, index)
    return TensorSliceInfo(
        shape=(sentences, length, width),
        axis=axis,
        index=index,
        values=np.take(values, index, axis=AXES.index(axis)),
        row_labels=tuple(rows),
        column_labels=tuple(columns),
        tokens=tuple(map(tuple, tokens)) if axis == "channel" else (),
        limit=float(np.quantile(np.abs(values), _INSIDE)) if values.size else 0.0,
    )


def tensor_slice_figure(info: TensorSliceInfo, upright: bool = False) -> go.Figure:
    """Draw a slice as colours, blue below 0 and red above.

    Args:
        info: from `tensor_slice_info`.
        upright: whether a slice through a channel has its sentences side by side, as a phone needs.
    """
    rows, columns, values, tokens = info.row_labels, info.column_labels, info.values, info.tokens
    titles = {"sentence": ("token", "channel"), "position": ("token", "channel"), "channel": ("", "position")}
    row_title, column_title = titles[info.axis]
    if upright and info.axis == "channel":
        rows, columns = columns, tuple(str(number + 1) for number in range(len(rows)))
        values, tokens = values.T, tuple(zip(*tokens, strict=True))
        row_title, column_title = "position", "sentence"
    figure = theme.apply_theme(go.Figure(), max(_LEAST_HEIGHT, _MARGINS_HEIGHT + _ROW_HEIGHT * len(rows)))
    if not values.size:
        return theme.apply_message(figure, "Nothing to show yet")
    figure.add_trace(_cells(values, tokens))
    figure.update_yaxes(**label_axis(rows, down=True), title_text=row_title)
    if columns:
        figure.update_xaxes(**label_axis(columns), title_text=column_title)
    else:
        figure.update_xaxes(title_text=column_title, showgrid=False, nticks=9)
    figure.update_layout(margin_t=16, margin_b=96, coloraxis=signed_axis(info.limit or 1.0, below=True))
    return figure


def tensor_block_figure(info: TensorSliceInfo) -> go.Figure:
    """Draw the block as one sheet a sentence, the first in front, with the slice marked."""
    figure = theme.apply_theme(go.Figure(), _BLOCK_HEIGHT)
    sentences, length, width = info.shape
    for sentence in reversed(range(sentences)):
        whole = info.axis == "sentence" and info.index == sentence
        _draw(figure, sentence, (0.0, 1.0), (0.0, 1.0), marked=whole)
        if info.axis == "position":
            _draw(figure, sentence, (0.0, 1.0), _strip(info.index, length), marked=True)
        if info.axis == "channel":
            _draw(figure, sentence, _strip(info.index, width), (0.0, 1.0), marked=True)
    right, top = _SHEET
    last = (sentences - 1) * _STEP[0], (sentences - 1) * _STEP[1]
    _name(figure, right / 2, -0.25, f"width: {width:,}", "top")
    _name(figure, -0.3, top / 2, f"length: {length:,}", "middle", textangle=-90, xanchor="right")
    _name(
        figure, last[0] / 2 - 0.3, top + last[1] / 2 + 0.3, f"batch: {sentences}", "bottom", xanchor="right"
    )
    figure.update_xaxes(visible=False, range=[-1.6, right + last[0] + 0.2])
    figure.update_yaxes(visible=False, range=[-1.2, top + last[1] + 0.3])
    figure.update_layout(showlegend=False, hovermode=False, margin={"l": 0, "r": 0, "t": 8, "b": 8})
    return figure


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


def _cells(
    values: NDArray[np.float32],
    tokens: Sequence[Sequence[str]],
) -> go.Heatmap:
    hover = "%{y}, channel %{x}: %{z:.3f}<extra></extra>"  # y as its label has it
    written: dict[str, Any] = {}
    if tokens:
        hover = "%{customdata}: %{z:.3f}<extra></extra>"
        written = {
            "customdata": [[theme.escaped(token) for token in row] for row in tokens],
            "text": [[theme.escaped(theme.shortened(token, 10)) for token in row] for row in tokens],
            "texttemplate": "%{text}",
            "textfont": {"size": theme.TICK_SIZE, "color": theme.BLACK},
        }
    return go.Heatmap(
        z=values, hovertemplate=hover, coloraxis="coloraxis", xgap=1 if tokens else 0, ygap=1, **written
    )


def _strip(index: int, count: int) -> tuple[float, float]:
    """Where one of many lies between 0 and 1, thick enough to be seen."""
    half = max(1 / count, _THINNEST / _SHEET[1]) / 2
    middle = (index + 0.5) / count
    return max(0.0, middle - half), min(1.0, middle + half)


def _draw(
    figure: go.Figure,
    sentence: int,
    across: tuple[float, float],
    down: tuple[float, float],
    marked: bool,
) -> None:
    """A rectangle on a sheet, in parts of its width and height from its upper left corner."""
    width, height = _SHEET
    left, bottom = sentence * _STEP[0], sentence * _STEP[1]
    x = [left + width * across[side] for side in (0, 1, 1, 0, 0)]
    y = [bottom + height * (1 - down[side]) for side in (0, 0, 1, 1, 0)]
    figure.add_scatter(
        x=x, y=y, mode="lines", fill="toself",
        line={"color": theme.BLUE if marked else theme.GREY, "width": 2},
        fillcolor=theme.BLUE if marked else theme.GRID,
        opacity=0.85 if marked else 1.0,
    )  # fmt: skip


def _name(figure: go.Figure, x: float, y: float, text: str, yanchor: str, **options: Any) -> None:
    figure.add_annotation(
        x=x, y=y, text=text, yanchor=yanchor, showarrow=False, font_size=theme.FONT_SIZE, **options
    )
