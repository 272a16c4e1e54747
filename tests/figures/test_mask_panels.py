import numpy as np

from core.figures.label_fit import column_width, longest_label, longest_line, panel_width
from core.figures.mask_panels import COLORS, mask_figures
from core.figures.masks import mask_info, padding_info
from core.theory.masks import causal_mask
from tests.figures.drawn import drawn


def square(size: int, title: str = "Causal") -> list:
    names = [f"w{number}" for number in range(size)]
    return [mask_info(title, causal_mask(size), names, names)] * 3


def test_colours_and_texts() -> None:
    (figure,) = map(drawn, mask_figures(square(2)[:1]))
    cells = figure.data[0]
    assert np.array_equal(cells.z, [[1, 0], [1, 1]])
    assert np.array_equal(cells.text, [["True", "False"], ["True", "True"]])
    assert figure.layout.coloraxis.colorscale == ((0, COLORS[0]), (1, COLORS[1]))
    assert not figure.layout.coloraxis.showscale
    assert [trace.name for trace in figure.data[1:]] == ["False: blocked", "True: allowed"]
    assert [trace.marker.color for trace in figure.data[1:]] == list(COLORS)
    assert figure.layout.yaxis.title.text == "query position"
    assert figure.layout.xaxis.title.text == "key position"
    assert figure.layout.yaxis.range == (1.5, -0.5)  # row 0 on top


def test_the_colors_are_explained_once() -> None:
    figures = list(map(drawn, mask_figures(square(4), across=3)))
    assert [figure.layout.showlegend for figure in figures] == [None, None, True]
    assert [len(figure.data) for figure in figures] == [1, 1, 3]


def test_what_does_not_fit_into_a_cell_is_shortened() -> None:
    assert drawn(mask_figures(square(16), across=3)[0]).data[0].text[0][:2] == ["T", "F"]
    assert drawn(mask_figures(square(16), across=1)[0]).data[0].text[0][:2] == ["True", "False"]
    batch, mask = padding_info([["incomprehensible", "<b>"]], [[1, 7]])
    figures = mask_figures([batch, mask])
    assert drawn(figures[0]).data[0].text[0] == ["incomprehensible<br>1", "&lt;b&gt;<br>7"]
    assert figures[0]["layout"]["meta"]["min_width"] > 2 * longest_line(["incomprehensible"])


def test_long_labels_stand_upright_and_short_ones_do_not() -> None:
    names = ["incomprehensible"] * 10
    info = mask_info("", causal_mask(10), names, names)
    assert drawn(mask_figures([info])[0]).layout.xaxis.tickangle == -90
    assert drawn(mask_figures(square(3))[0]).layout.xaxis.tickangle == 0
    assert drawn(mask_figures([info])[0]).layout.xaxis.ticktext[0] == "incomprehensi…"


def test_one_place_and_none() -> None:
    assert drawn(mask_figures(square(1)[:1])[0]).data[0].z[0] == [1]
    assert "no words" in drawn(mask_figures(square(0)[:1])[0]).layout.annotations[0].text


def test_widths() -> None:
    assert longest_line(["ab\nabcd", "abc"]) == 34  # four letters of 8.5 pixels
    assert longest_line([]) == 0
    assert longest_label(["a" * 99]) == 119  # fourteen of them are written
    assert column_width(["abcd"], 4, across=2) == ((780 - 16) / 2 - 34 - 40) / 4
    info = mask_info("", [[True] * 4], ["abcd"], "abcd")
    assert panel_width(info, 4, column=30) == 34 + 40 + 120
    assert panel_width(info, 4, column=1, title="x" * 20) == 34 + 40 + 170
