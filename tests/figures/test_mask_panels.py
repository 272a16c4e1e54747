import numpy as np

from core.figures.label_fit import column_width, longest_label, longest_line
from core.figures.mask_panels import COLORS, masks_figure
from core.figures.masks import mask_info, padding_info
from core.theory.masks import look_ahead_mask


def square(size: int, title: str = "Look-ahead") -> list:
    names = [f"w{number}" for number in range(size)]
    return [mask_info(title, look_ahead_mask(size), names, names)] * 3


def test_colours_and_texts() -> None:
    figure = masks_figure(square(2)[:1])
    cells = figure.data[0]
    assert np.array_equal(cells.z, [[1, 0], [1, 1]])
    assert np.array_equal(cells.text, [["True", "False"], ["True", "True"]])
    assert cells.colorscale == ((0, COLORS[0]), (1, COLORS[1]))
    assert [trace.name for trace in figure.data[1:]] == ["False: blocked", "True: may look"]
    assert [trace.marker.color for trace in figure.data[1:]] == list(COLORS)
    assert figure.layout.yaxis.title.text == "looks"
    assert figure.layout.xaxis.title.text == "is looked at"
    assert figure.layout.yaxis.range == (1.5, -0.5)  # row 0 on top


def test_side_by_side_the_rows_are_labelled_once() -> None:
    figure = masks_figure(square(4), across=3)
    assert [axis.showticklabels for axis in (figure.layout.yaxis, figure.layout.yaxis2)] == [True, False]
    phone = masks_figure(square(4), across=3, narrow=True)
    assert phone.layout.yaxis2.showticklabels
    assert phone.layout.height > 2 * figure.layout.height


def test_what_does_not_fit_into_a_cell_is_shortened() -> None:
    assert masks_figure(square(16), across=3).data[0].text[0][:2] == ["T", "F"]
    assert masks_figure(square(16), across=1).data[0].text[0][:2] == ["True", "False"]
    batch, mask = padding_info([["incomprehensible", "<b>"]], [[1, 7]])
    assert masks_figure([batch, mask]).data[0].text[0] == ["incomprehensible<br>1", "&lt;b&gt;<br>7"]
    assert masks_figure([batch, mask], narrow=True).data[0].text[0] == ["1", "7"]


def test_long_labels_stand_upright_and_short_ones_do_not() -> None:
    names = ["incomprehensible"] * 10
    info = mask_info("", look_ahead_mask(10), names, names)
    assert masks_figure([info]).layout.xaxis.tickangle == -90
    assert masks_figure(square(3)).layout.xaxis.tickangle == 0
    assert masks_figure([info]).layout.xaxis.ticktext[0] == "incomprehensi…"


def test_one_place_and_none() -> None:
    assert masks_figure(square(1)[:1], narrow=True).data[0].z[0] == [1]
    assert "no words" in masks_figure(square(0)[:1]).layout.annotations[0].text


def test_widths() -> None:
    assert longest_line(["ab\nabcd", "abc"]) == 34  # four letters of 8.5 pixels
    assert longest_line([]) == 0
    assert longest_label(["a" * 99]) == 119  # fourteen of them are written
    assert column_width(["abcd"], 4, 2, narrow=False) == (920 - 34 - 40) / 8
    assert column_width(["abcd"], 4, 1, narrow=True) == (310 - 34 - 40) / 4
