from typing import Any

import numpy as np
import pytest

from core.figures.label_fit import longest_line
from core.figures.masks import (
    COLORS,
    answers_figures,
    mask_figures,
    masked_attention_figures,
    padding_figures,
)
from core.theory.attention import masked_softmax, softmax
from core.theory.masks import causal_mask, decoder_mask
from tests.figures.drawn import drawn

WORDS = ("[START]", "<b>", "[PAD]")


def causal(size: int, count: int = 1, across: int = 1) -> list:
    names = [f"w{number}" for number in range(size)]
    masks = {f"Mask {number}": causal_mask(size) for number in range(count)}
    return [drawn(figure) for figure in mask_figures(masks, names, across)]


def said(figure: Any) -> list[list[str]]:
    """The texts of the cells, without their color."""
    return [[text.partition(">")[2].removesuffix("</span>") for text in row] for row in figure.data[0].text]


def test_a_mask() -> None:
    (figure,) = causal(2)
    assert np.array_equal(figure.data[0].z, [[1, 0], [1, 1]])
    assert said(figure) == [["True", "False"], ["True", "True"]]
    assert figure.data[0].customdata[0][1] == "“w0” may not attend to “w1”"
    assert figure.layout.coloraxis.colorscale == ((0, COLORS[0]), (1, COLORS[1]))
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == (
        "query position",
        "key position",
    )


def test_the_colors_are_explained_once() -> None:
    figures = causal(4, count=3, across=3)
    assert [figure.layout.showlegend for figure in figures] == [None, None, True]
    assert [trace.name for trace in figures[2].data[1:]] == ["False: blocked", "True: allowed"]
    assert [trace.marker.color for trace in figures[2].data[1:]] == list(COLORS)


def test_what_does_not_fit_into_a_cell_is_shortened_and_long_labels_stand_upright() -> None:
    assert said(causal(16, count=3, across=3)[0])[0][:2] == ["T", "F"]
    assert said(causal(16)[0])[0][:2] == ["True", "False"]
    (long,) = map(drawn, mask_figures({"": causal_mask(10)}, ["incomprehensible"] * 10))
    assert (long.layout.xaxis.tickangle, causal(3)[0].layout.xaxis.tickangle) == (-90, 0)


def test_one_place_and_none() -> None:
    assert said(causal(1)[0]) == [["True"]]
    assert "no words" in causal(0)[0].layout.annotations[0].text


def test_a_batch_and_its_padding_mask() -> None:
    figures = padding_figures([["incomprehensible", "[PAD]"], ["<b>", "you"]], [[4, 0], [10, 5]])
    batch, mask = map(drawn, figures)
    assert said(batch) == [["incomprehensible<br>4", "[PAD]<br>0"], ["&lt;b&gt;<br>10", "you<br>5"]]
    assert said(mask) == [["True", "False"], ["True", "True"]]
    assert batch.data[0].customdata[0][1] == "“[PAD]” has the id 0"
    assert np.array_equal(batch.data[0].z, mask.data[0].z)
    assert mask.layout.yaxis.ticktext == ("sentence 1", "sentence 2")
    assert batch.layout.meta["min_width"] > 2 * longest_line(["incomprehensible"])


def test_answers_stand_one_place_further_on() -> None:
    (figure,) = map(drawn, answers_figures(["[START]", "i", "see"], causal_mask(3), "[END]"))
    assert figure.layout.yaxis.ticktext == ("i", "see", "[END]")  # what is to be predicted
    assert figure.layout.xaxis.ticktext == ("[START]", "i", "see")
    assert said(figure) == [["", "★ answer", ""], ["", "", "★ answer"], ["", "", ""]]


@pytest.mark.parametrize("written", [1, 2, 3])
def test_masked_attention_grows_with_what_is_written(written: int) -> None:
    """By hand: row "<b>" has 1, 3, 4 of 8; with the pad blocked 1 and 3 of 4."""
    scores = np.log([[1, 1, 2], [1, 3, 4], [1, 1, 1]])
    weights = masked_softmax(scores, decoder_mask([[2, 5, 0]])[0, 0])
    without, masked = map(drawn, masked_attention_figures(softmax(scores), weights, WORDS, written))
    expected = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.5, 0.0]])
    expected[written:] = np.nan
    np.testing.assert_allclose(np.array(masked.data[0].z, float), expected)
    assert without.data[0].z[0] == pytest.approx((0.25, 0.25, 0.5))
    for figure in (without, masked):
        assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == [(written - 1.5, written - 0.5)]
        assert figure.layout.xaxis.ticktext == ("[START]", "&lt;b&gt;", "[PAD]")
    if written > 1:
        assert said(masked)[1][:2] == ["0.25", "0.75"]
        assert masked.data[0].customdata[1][1] == "“&lt;b&gt;” attends to “&lt;b&gt;” with weight 0.750"


def test_many_words_have_no_room_for_numbers() -> None:
    words, weights = [f"word{number}" for number in range(12)], np.full((12, 12), 1 / 12)
    figure = drawn(masked_attention_figures(weights, weights, words, 5)[0])
    assert figure.data[0].texttemplate is None
    assert figure.layout.xaxis.tickangle == -90
