import math

import numpy as np
import pytest

from core.figures.masked_attention import masked_attention_figures, masked_attention_info
from core.figures.number_tables import NumberTable, number_tables_html
from core.theory.masks import decoder_mask
from tests.figures.drawn import drawn

WORDS = ("[START]", "je", "[PAD]")
SCORES = np.log([[1, 1, 2], [1, 3, 4], [1, 1, 1]])
MASK = decoder_mask([[2, 5, 0]])[0, 0]


def test_info() -> None:
    """By hand: row "je" has 1, 3, 4 of 8; with the pad blocked 1 and 3 of 4."""
    info = masked_attention_info(SCORES, MASK, WORDS, written=2)
    assert isinstance(info.table, NumberTable)
    assert info.table.row_labels == WORDS
    assert info.table.column_labels == ("score", "mask adds", "softmax, no mask", "softmax, mask")
    assert np.array(info.table.cells) == pytest.approx(
        np.array(
            [
                [0.0, 0.0, 0.125, 0.25],
                [math.log(3), 0.0, 0.375, 0.75],
                [math.log(4), -1e9, 0.5, 0.0],
            ]
        )
    )
    assert info.table.marks == {(2, 1): "read"}
    assert (info.now, info.blocked) == (1, 1)
    assert info.lost == pytest.approx(0.5)


def test_the_triangle_grows_with_what_is_written() -> None:
    shown = [masked_attention_info(SCORES, MASK, WORDS, written).panels[1].values for written in (1, 2, 3)]
    assert shown[0] == ((1.0, 0.0, 0.0), (None, None, None), (None, None, None))
    assert shown[1][0] == shown[0][0]
    assert shown[1][1] == pytest.approx((0.25, 0.75, 0.0))
    assert shown[1][2] == (None, None, None)
    assert shown[2][2] == pytest.approx((0.5, 0.5, 0.0))
    without = masked_attention_info(SCORES, MASK, WORDS, 1).panels[0].values
    assert without[0] == pytest.approx((0.25, 0.25, 0.5))


def test_nothing_is_blocked_at_the_end_of_a_full_row() -> None:
    info = masked_attention_info([[0.0, 0.0], [1.0, 1.0]], np.tri(2, dtype=bool), ["a", "b"], 2)
    assert (info.blocked, info.lost) == (0, 0.0)


def test_figure() -> None:
    info = masked_attention_info(SCORES, MASK, WORDS, written=2)
    figures = list(map(drawn, masked_attention_figures(info)))
    cells = figures[1].data[0]
    assert ">0.75<" in cells.text[1][1]
    assert "#000000" in cells.text[1][1]  # on bright yellow-green
    assert "#FFFFFF" in cells.text[1][0]
    assert cells.text[2][0] == ""
    assert cells.customdata[1][0] == "“je” attends to “[START]” with weight 0.250"
    for figure in figures:
        assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == [(0.5, 1.5)]
        assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)


def test_words_are_text() -> None:
    """No word tokenizer gives a word with "<"; a vocabulary of pieces has such."""
    info = masked_attention_info(SCORES, MASK, ("[START]", "<b>x", "&"), written=2)
    tables = number_tables_html([[info.table]])
    assert "“&lt;b&gt;x” attends to" in tables
    assert '<th scope="row">&lt;b&gt;x</th>' in tables
    assert "<b>x" not in tables
    figure = drawn(masked_attention_figures(info)[1])
    assert figure.layout.xaxis.ticktext == ("[START]", "&lt;b&gt;x", "&amp;")
    assert figure.data[0].customdata[1][1] == "“&lt;b&gt;x” attends to “&lt;b&gt;x” with weight 0.750"


def test_many_words_have_no_room_for_numbers() -> None:
    words = [f"word{number}" for number in range(12)]
    figure = drawn(
        masked_attention_figures(masked_attention_info(np.zeros((12, 12)), np.tri(12), words, 5))[0]
    )
    assert figure.data[0].texttemplate is None
    assert figure.layout.xaxis.tickangle == -90
