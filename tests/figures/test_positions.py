from __future__ import annotations

import math

import numpy as np
import pytest

from core.figures.positions import (
    cell_size,
    dot_products_figure,
    encoding_figures,
    waves_figure,
    word_order_figures,
)
from core.theory.positional_encoding import dot_products, sinusoidal_encoding
from tests.figures.drawn import array_of, drawn


def test_a_small_encoding_is_shown_as_it_is() -> None:
    encoding = sinusoidal_encoding(4, 6)
    (figure,) = map(drawn, encoding_figures(encoding))
    assert np.array_equal(array_of(figure.data[0].z), encoding)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1, 1)
    assert figure.layout.yaxis.autorange == "reversed"  # position 0 on top


def test_cells_of_a_large_one_are_means_and_its_corner_is_exact() -> None:
    encoding = sinusoidal_encoding(300, 130)  # not a multiple of what a cell holds
    assert cell_size(300, 130) == (3, 2)
    whole, close = (drawn(figure).data[0] for figure in encoding_figures(encoding))
    assert array_of(whole.z).shape == (100, 65)
    assert array_of(whole.z)[2, 5] == pytest.approx(encoding[6:9, 10:12].mean(), abs=1e-6)
    assert np.array_equal(array_of(close.z), encoding[:32, :32])
    assert (whole.x0, whole.dx, whole.y0, whole.dy) == (0.5, 2, 1, 3)  # in channels and positions
    assert (close.x0, close.dx, close.y0, close.dy) == (0, 1, 0, 1)


def test_the_last_cell_may_hold_less() -> None:
    whole, _ = encoding_figures(np.arange(129.0)[:, np.newaxis])
    assert array_of(whole["data"][0]["z"])[-1, 0] == 128.0


@pytest.mark.parametrize(("length", "width"), [(1, 1), (1, 1024), (4096, 1), (4096, 1023)])
def test_extreme_sizes_can_be_drawn(length: int, width: int) -> None:
    for figure in encoding_figures(sinusoidal_encoding(length, width)):
        assert array_of(drawn(figure).data[0].z).size <= 128 * 128


def test_waves_are_the_channels() -> None:
    figure = drawn(waves_figure([0, 3], length=5, d_model=4))
    assert [title.text for title in figure.layout.annotations] == [
        "Channel 0: sine, one wave is 6.3 positions long",
        "Channel 3: cosine, one wave is 628.3 positions long",
    ]
    assert figure.data[3].x == (0, 1, 2, 3, 4)
    assert figure.data[3].y == pytest.approx([math.cos(position / 100) for position in range(5)])


def test_of_a_long_encoding_the_first_waves_are_shown() -> None:
    curve, dots = drawn(waves_figure([0], length=4096, d_model=512)).data
    assert curve.x[-1] == 199
    assert dots.x == ()  # too many to mark


def test_no_channel_and_one_position() -> None:
    assert drawn(waves_figure([], 10, 4)).layout.annotations[0].text == "Choose a channel"
    assert drawn(waves_figure([0], 1, 1)).data[1].y == (0.0,)


def test_dot_products_are_marked_where_they_are_highest() -> None:
    figure = drawn(dot_products_figure(dot_products(sinusoidal_encoding(2048, 512), 1000).round(4), 1000))
    assert figure.data[0].x == tuple(range(2048))
    assert figure.data[2].x == tuple(range(950, 1051))
    assert figure.data[1].x == figure.data[3].x == (1000,)
    texts = [note.text for note in figure.layout.annotations]
    assert texts.count("position 1,000: <b>256.0</b>") == 2
    elsewhere = drawn(dot_products_figure([0.0, 1.0, 3.0], 1))
    assert elsewhere.data[1].x == (2,)
    assert drawn(dot_products_figure([0.0], 0)).data


def test_maps_of_shuffled_words_share_rows_columns_and_colors() -> None:
    words = ["the", "<b>", "the"]
    maps = [np.full((3, 3), share) for share in (0.1, 0.2, 0.3, 0.4)]
    figures = list(map(drawn, word_order_figures(words, maps)))
    assert figures[3].layout.annotations[0].text == "With positions, shuffled"
    assert {figure.layout.xaxis.ticktext for figure in figures} == {("the", "&lt;b&gt;", "the")}
    assert {figure.layout.coloraxis.cmax for figure in figures} == {0.4}
    assert [figure.data[0].z[0][0] for figure in figures] == [0.1, 0.2, 0.3, 0.4]
