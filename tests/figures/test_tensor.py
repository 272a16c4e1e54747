from __future__ import annotations

import numpy as np

from core.figures.tensor import Axis, color_limit, kept_axes, tensor_block_figure, tensor_slice_figure
from tests.figures.drawn import array_of, drawn

TENSOR = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 10  # (batch, length, width)
TOKENS = (("a", "b", "c"), ("d", "<b>", "c"))


def test_a_sentence() -> None:
    figure = drawn(tensor_slice_figure(TENSOR, TOKENS, "sentence", 1))
    assert array_of(figure.data[0].z).tolist() == [[2, 3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13]]
    assert list(figure.layout.yaxis.ticktext) == ["0 d", "1 &lt;b&gt;", "2 c"]
    assert figure.layout.xaxis.title.text == "channel"
    assert kept_axes(TENSOR.shape, "sentence") == "(length, width) = (3, 4)"


def test_a_position() -> None:
    figure = drawn(tensor_slice_figure(TENSOR, TOKENS, "position", 0))
    assert array_of(figure.data[0].z).tolist() == [[-10, -9, -8, -7], [2, 3, 4, 5]]
    assert list(figure.layout.yaxis.ticktext) == ["1: a", "2: d"]


def test_a_channel_has_its_sentences_side_by_side() -> None:
    figure = drawn(tensor_slice_figure(TENSOR, TOKENS, "channel", 3))
    assert array_of(figure.data[0].z).tolist() == [[-7, 5], [-3, 9], [1, 13]]
    assert figure.data[0].text[1] == ["b", "&lt;b&gt;"]
    assert list(figure.layout.xaxis.ticktext) == ["1", "2"]
    assert figure.layout.coloraxis.cmax == -figure.layout.coloraxis.cmin == color_limit(TENSOR)


def test_the_colors_are_those_of_the_whole_tensor() -> None:
    tensor = np.ones((1, 10, 100))
    tensor[0, :5, 0] = 5.0  # less than a hundredth of all numbers
    assert color_limit(tensor) == 1.0
    assert color_limit(np.zeros((1, 1, 1))) == 1.0


def marked(axis: Axis, index: int) -> list[tuple[float, float, float, float]]:
    """Left, right, bottom and top of what is marked, from the last sheet to the first."""
    figure = drawn(tensor_block_figure(TENSOR.shape, axis, index))
    found = [trace for trace in figure.data if trace.fillcolor == "#0072B2"]
    return [
        tuple(round(end, 6) for end in (min(trace.x), max(trace.x), min(trace.y), max(trace.y)))
        for trace in found
    ]


def test_block_marks_the_slice() -> None:
    """Sheets are 10 wide and 6 high, each 1.7 to the right of the one before it and 1.5 above it."""
    assert marked("sentence", 0) == [(0.0, 10.0, 0.0, 6.0)]
    assert marked("sentence", 1) == [(1.7, 11.7, 1.5, 7.5)]
    assert marked("position", 0) == [(1.7, 11.7, 5.5, 7.5), (0.0, 10.0, 4.0, 6.0)]
    assert marked("channel", 3) == [(9.2, 11.7, 1.5, 7.5), (7.5, 10.0, 0.0, 6.0)]
