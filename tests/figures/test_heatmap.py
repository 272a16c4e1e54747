"""Matrices, one or several side by side: masks, positions, and tensors that are too large for labels."""

import math
import re
from typing import Any

import numpy as np
import pytest

from core.figures import theme
from core.figures.html.attention_steps import latex_number
from core.figures.html.number_tables import number_text
from core.figures.plotly.heatmap import color_axis, heatmap
from core.figures.plotly.masks import answers_figures, mask_figures, masked_attention_figures, padding_figures
from core.figures.plotly.positions import (
    dot_products_figure,
    encoding_figures,
    waves_figure,
    word_order_figures,
)
from core.figures.plotly.tensor import Axis, color_limit, tensor_block_figure, tensor_slice_figure
from core.language import Language, reading
from core.model.forward import causal_mask, decoder_mask, padding_mask, sinusoidal_encoding
from core.model.numpy_ops import softmax
from core.theory.positional_encoding import dot_products
from tests.conftest import numbers
from tests.figures.drawn import array_of, drawn

TENSOR = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 10  # (batch, length, width)
TOKENS = (("a", "b", "c"), ("d", "<b>", "c"))


def blank(rows: list[str], columns: list[str], **options: Any) -> Any:
    return drawn(heatmap(np.zeros((len(rows), len(columns))), rows, columns, **options))


def test_known_values_at_known_cells_and_row_0_on_top() -> None:
    """A word that is there twice keeps its own rows: positions, not categories."""
    values = [[0.5, math.nan], [0.25, 1.0]]
    hover, colors = "{row} to {column}: {value:.1f}", color_axis((0.0, 2.0))
    figure = drawn(heatmap(values, ["je", "je"], ["a", "b"], hover=hover, texts=".2f", colors=colors))
    (cells,) = figure.data
    assert [list(row) for row in cells.z] == [[0.5, None], [0.25, 1.0]]
    assert [list(row) for row in cells.customdata] == [["je to a: 0.5", ""], ["je to a: 0.2", "je to b: 1.0"]]
    assert cells.text[1][1] == "1.00" and cells.text[0][1] == ""
    assert (figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext) == ((0, 1), ("je", "je"))
    assert figure.layout.yaxis.range == (1.5, -0.5)


def test_numbers_are_written_as_the_reader_writes_them() -> None:
    french = Language("fr", "Français", decimal=",", group="\u202f", percent="\u00a0%")
    with reading(french):
        figure = heatmap([[-1234.5]], ["je"], ["a"], hover="{value:,.1f} {value:.0%}", texts=".1f")
        separators = theme.themed(figure, "light")["layout"]["separators"]
        html, latex = number_text(0.25), latex_number(0.25)
    (cells,) = figure["data"]
    assert cells["customdata"] == [["−1\u202f234,5 −123450\u00a0%"]]
    assert "−1234,5" in cells["text"][0][0]
    assert (separators, html, latex) == (",\u202f", "0,25", "0{,}25")


def test_tokens_are_text_and_neither_markup_nor_a_format() -> None:
    figure = blank(["<" * 20], ["{value}"], row_title="<i>", title="x<y")
    assert figure.layout.yaxis.ticktext == ("&lt;" * 13 + "…",)  # shortened before it is escaped
    assert figure.data[0].customdata[0][0] == "&lt;" * 20 + ", {value}: 0.00"  # whole in hover
    assert figure.layout.title.text == "x&lt;y"
    assert figure.layout.yaxis.title.text == "&lt;i&gt;"


def test_sizes_from_nothing_to_a_hundred_by_a_hundred() -> None:
    assert blank([], []).layout.annotations[0].text, "that there is nothing to show"
    labels = [f"token{index}" for index in range(100)]
    figure = blank(labels, labels)
    assert figure.layout.xaxis.ticktext[:2] == ("token0", "token2")  # every second label is written
    assert 50 * 18 <= figure.layout.height <= 1400  # pixels: each written label has room, no more
    assert figure.data[0].customdata[99][99] == "token99, token99: 0.00"


@pytest.mark.parametrize(
    ("axis", "index", "cells", "labels"),
    [
        ("sentence", 1, [[2, 3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13]], ["0 d", "1 &lt;b&gt;", "2 c"]),
        ("position", 0, [[-10, -9, -8, -7], [2, 3, 4, 5]], ["1: a", "2: d"]),
        ("channel", 3, [[-7, 5], [-3, 9], [1, 13]], ["0", "1", "2"]),  # sentences are side by side
    ],
)
def test_a_slice_of_a_tensor(axis: Axis, index: int, cells: list[list[int]], labels: list[str]) -> None:
    figure = drawn(tensor_slice_figure(TENSOR, TOKENS, axis, index))
    assert array_of(figure.data[0].z).tolist() == cells
    assert list(figure.layout.yaxis.ticktext) == labels
    assert figure.layout.coloraxis.cmax == -figure.layout.coloraxis.cmin == color_limit(TENSOR)
    block = drawn(tensor_block_figure(TENSOR.shape, axis, index))
    assert sum(trace.fillcolor == theme.BLUE for trace in block.data) == (1 if axis == "sentence" else 2)


def causal(size: int, count: int = 1) -> list:
    masks = {f"Mask {number}": causal_mask(size) for number in range(count)}
    return [
        drawn(figure) for figure in mask_figures(masks, [f"w{number}" for number in range(size)], 780 / count)
    ]


def said(figure: Any) -> list[list[str]]:
    """The texts of the cells, without their color."""
    return [[re.sub("</?span[^>]*>", "", text) for text in row] for row in figure.data[0].text]


def test_a_mask() -> None:
    (figure,) = causal(2)
    assert np.array_equal(figure.data[0].z, [[1, 0], [1, 1]])
    assert said(figure) == [["True", "False"], ["True", "True"]]
    assert re.search("w0.*w1", figure.data[0].customdata[0][1])
    assert causal(0)[0].layout.annotations[0].text, "that there are no words"


def test_a_batch_and_its_padding_mask() -> None:
    ids = np.array([[4, 0], [10, 5]])
    words = [["incomprehensible", "[PAD]"], ["<b>", "you"]]
    figures = padding_figures(words, ids.tolist(), padding_mask(ids)[:, 0, 0], 780)
    batch, mask = map(drawn, figures)
    assert said(batch) == [["incomprehensible<br>4", "[PAD]<br>0"], ["&lt;b&gt;<br>10", "you<br>5"]]
    assert said(mask) == [["True", "False"], ["True", "True"]]
    assert re.search(r"\[PAD\].*0", batch.data[0].customdata[0][1])
    assert np.array_equal(batch.data[0].z, mask.data[0].z)


def test_answers_stand_one_place_further_on() -> None:
    (figure,) = map(drawn, answers_figures(["[START]", "i", "see"], causal_mask(3), "[END]", 780))
    assert figure.layout.yaxis.ticktext == ("i", "see", "[END]")  # what is to be predicted
    assert [[text[:1] for text in row] for row in said(figure)] == [
        ["", "★", ""],
        ["", "", "★"],
        ["", "", ""],
    ]


def test_masked_attention_grows_with_what_is_written() -> None:
    """By hand: row "<b>" has 1, 3, 4 of 8; with the pad blocked 1 and 3 of 4."""
    scores = np.log([[1, 1, 2], [1, 3, 4], [1, 1, 1]])
    weights = softmax(scores, decoder_mask(np.array([[2, 5, 0]]))[0, 0])
    words = ("[START]", "<b>", "[PAD]")
    without, masked = map(drawn, masked_attention_figures(softmax(scores), weights, words, 2, 380))
    expected = [[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [np.nan] * 3]
    np.testing.assert_allclose(np.array(masked.data[0].z, float), expected)
    assert without.data[0].z[0] == pytest.approx((0.25, 0.25, 0.5))
    assert (masked.layout.shapes[0].y0, masked.layout.shapes[0].y1) == (0.5, 1.5)
    assert said(masked)[1][:2] == ["0.25", "0.75"]
    assert re.search("&lt;b&gt;.*&lt;b&gt;.*0.75", masked.data[0].customdata[1][1])


def test_a_small_encoding_is_shown_as_it_is_and_of_a_large_one_means_and_its_corner() -> None:
    (small,) = encoding_figures(sinusoidal_encoding(4, 6))
    assert np.array_equal(array_of(small["data"][0]["z"]), sinusoidal_encoding(4, 6))
    encoding = sinusoidal_encoding(300, 130)  # not a multiple of what a cell holds
    whole, close = (drawn(figure).data[0] for figure in encoding_figures(encoding))
    assert array_of(whole.z).shape == (100, 65)
    assert array_of(whole.z)[2, 5] == pytest.approx(encoding[6:9, 10:12].mean(), abs=1e-6)
    assert np.array_equal(array_of(close.z), encoding[:32, :32])
    assert (whole.x0, whole.dx, whole.y0, whole.dy) == (0.5, 2, 1, 3)  # in channels and positions
    odd, _ = encoding_figures(np.arange(129.0)[:, np.newaxis])
    assert array_of(odd["data"][0]["z"])[-1, 0] == 128.0  # the last cell may hold less


@pytest.mark.parametrize(("length", "width"), [(1, 1), (1, 1024), (4096, 1), (4096, 1023)])
def test_extreme_sizes_can_be_drawn(length: int, width: int) -> None:
    for figure in encoding_figures(sinusoidal_encoding(length, width)):
        assert array_of(drawn(figure).data[0].z).size <= 128 * 128
    assert drawn(waves_figure([0], length, width)).data[0].x[-1] == min(length, 200) - 1
    assert drawn(dot_products_figure(np.ones(length), length - 1)).data


def test_waves_are_the_channels() -> None:
    figure = drawn(waves_figure([0, 3], length=5, d_model=4))
    assert numbers(figure.layout.annotations[1].text) == ["3", "628.3"], (
        "the channel, and the length of its wave"
    )
    assert figure.data[3].y == pytest.approx([math.cos(position / 100) for position in range(5)])
    assert drawn(waves_figure([], 10, 4)).layout.annotations[0].text, "that there is a choice"


def test_dot_products_are_marked_where_they_are_highest() -> None:
    figure = drawn(dot_products_figure(dot_products(sinusoidal_encoding(2048, 512), 1000).round(4), 1000))
    assert figure.data[2].x == tuple(range(950, 1051))
    assert figure.data[1].x == figure.data[3].x == (1000,)
    assert [numbers(note.text) for note in figure.layout.annotations].count(["1,000", "256.0"]) == 2
    assert drawn(dot_products_figure([0.0, 1.0, 3.0], 1)).data[1].x == (2,)


def test_maps_of_shuffled_words_share_rows_columns_and_colors() -> None:
    maps = [np.full((3, 3), share) for share in (0.1, 0.2, 0.3, 0.4)]
    figures = list(map(drawn, word_order_figures(["the", "<b>", "the"], maps)))
    assert len({figure.layout.annotations[0].text for figure in figures}) == len(maps)
    assert {figure.layout.xaxis.ticktext for figure in figures} == {("the", "&lt;b&gt;", "the")}
    assert {figure.layout.coloraxis.cmax for figure in figures} == {0.4}
