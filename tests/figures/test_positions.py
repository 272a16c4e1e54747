from __future__ import annotations

import math

import numpy as np
import pytest

from core.figures.positions import (
    DotProductsInfo,
    dot_products_figure,
    dot_products_info,
    encoding_figures,
    encoding_info,
    waves_figure,
    waves_info,
)
from core.theory.positional_encoding import sinusoidal_encoding
from tests.figures.drawn import array_of, drawn


def test_a_small_encoding_is_shown_as_it_is() -> None:
    encoding = sinusoidal_encoding(4, 6)
    info = encoding_info(encoding)
    assert np.array_equal(info.whole.values, encoding)
    assert info.close is None
    assert info.highest == 1.0
    (figure,) = map(drawn, encoding_figures(info))
    assert np.array_equal(array_of(figure.data[0].z), encoding.astype(np.float32))
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1, 1)
    assert figure.layout.xaxis.title.text == "channel"
    assert figure.layout.yaxis.autorange == "reversed"  # position 0 on top


def test_cells_of_a_large_one_are_means_and_its_corner_is_exact() -> None:
    encoding = sinusoidal_encoding(300, 130)  # not a multiple of what a cell holds
    info = encoding_info(encoding)
    assert (info.whole.positions_a_cell, info.whole.channels_a_cell) == (3, 2)
    assert info.whole.values.shape == (100, 65)
    assert info.whole.values[2, 5] == pytest.approx(encoding[6:9, 10:12].mean(), abs=1e-6)
    assert info.close is not None
    assert np.array_equal(info.close.values, encoding[:32, :32])
    whole, close = (drawn(figure).data[0] for figure in encoding_figures(info))
    assert (whole.x0, whole.dx, whole.y0, whole.dy) == (0.5, 2, 1, 3)  # in channels and positions
    assert (close.x0, close.dx, close.y0, close.dy) == (0, 1, 0, 1)


def test_the_last_cell_may_hold_less() -> None:
    values = np.arange(129.0)[:, np.newaxis]
    assert encoding_info(values).whole.values[-1, 0] == 128.0


@pytest.mark.parametrize(("length", "width"), [(1, 1), (1, 1024), (4096, 1), (4096, 1023), (33, 7)])
def test_extreme_sizes_can_be_drawn(length: int, width: int) -> None:
    for figure in encoding_figures(encoding_info(sinusoidal_encoding(length, width))):
        assert array_of(drawn(figure).data[0].z).size <= 128 * 128


def test_waves_are_the_channels() -> None:
    info = waves_info([0, 3], length=5, d_model=4)
    assert [wave.title for wave in info.waves] == [
        "Channel 0: sine, one wave is 6.3 positions long",
        "Channel 3: cosine, one wave is 628.3 positions long",
    ]
    assert info.waves[1].positions == (0, 1, 2, 3, 4)
    assert info.waves[1].values == pytest.approx([math.cos(position / 100) for position in range(5)])
    assert info.last == 4
    figure = drawn(waves_figure(info))
    assert figure.data[1].y == info.waves[0].values
    assert figure.layout.xaxis2.title.text == "position"


def test_of_a_long_encoding_the_first_waves_are_shown() -> None:
    info = waves_info([0], length=4096, d_model=512)
    assert info.last == 199
    assert info.waves[0].positions == ()  # too many to mark


def test_no_channel_and_one_position() -> None:
    assert drawn(waves_figure(waves_info([], 10, 4))).layout.annotations[0].text == "Choose a channel"
    assert drawn(waves_figure(waves_info([0], 1, 1))).data[1].y == (0.0,)


def test_dot_products_info() -> None:
    # Width 2: sin p sin q + cos p cos q = cos(p - q).
    products = tuple(round(math.cos(1 - other), 4) for other in range(3))
    info = dot_products_info(sinusoidal_encoding(3, 2), 1)
    assert info == DotProductsInfo(position=1, products=products, peak=1, zoom=(0, 2))
    assert info.highest == 1.0
    assert not info.comes_back
    assert dot_products_info(sinusoidal_encoding(45, 2), 0).comes_back  # cos 44 = 0.9998, cos 1 = 0.54
    assert not dot_products_info(sinusoidal_encoding(1, 2), 0).comes_back


def test_the_first_view_peaks_at_p() -> None:
    info = dot_products_info(sinusoidal_encoding(2048, 512), 1000)
    assert not info.comes_back
    assert (info.peak, info.highest, info.zoom) == (1000, 256.0, (950, 1050))
    figure = drawn(dot_products_figure(info))
    assert figure.data[0].x == tuple(range(2048))
    assert figure.data[2].x == tuple(range(950, 1051))
    assert figure.data[1].x == figure.data[3].x == (1000,)
    notes = [note.text for note in figure.layout.annotations]
    assert notes[:2] == ["All 2,048 positions", "Zoomed: positions 950 to 1,050"]
    assert notes[2:] == ["position 1,000: <b>256.0</b>"] * 2


@pytest.mark.parametrize("position", [0, 5, 40])
def test_every_even_width_peaks_at_p(position: int) -> None:
    for width in (2, 4, 32, 64):
        assert dot_products_info(sinusoidal_encoding(41, width), position).peak == position


def test_a_sine_alone_peaks_elsewhere_and_the_info_says_where() -> None:
    info = dot_products_info(sinusoidal_encoding(100, 1), 1)
    assert info.peak != 1
    assert info.highest == max(info.products)
    assert drawn(dot_products_figure(dot_products_info(sinusoidal_encoding(1, 1), 0))).data
