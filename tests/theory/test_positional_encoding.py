import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.positional_encoding import (
    dot_products,
    sinusoidal_encoding,
    wave,
    wavelengths,
)

lengths = st.integers(1, 60)
widths = st.integers(1, 33)


@given(lengths, widths)
def test_shape_type_and_range(length: int, d_model: int) -> None:
    encoding = sinusoidal_encoding(length, d_model)
    assert encoding.shape == (length, d_model)
    assert encoding.dtype == np.float32
    assert np.abs(encoding).max() <= 1.0


@given(lengths, widths)
def test_each_channel_follows_the_formula_of_section_3_5(length: int, d_model: int) -> None:
    encoding = sinusoidal_encoding(length, d_model)
    for channel in range(d_model):
        wave = math.cos if channel % 2 else math.sin
        angle = (length - 1) / 10000 ** ((channel - channel % 2) / d_model)
        assert encoding[-1, channel] == pytest.approx(wave(angle), abs=1e-7)


@given(lengths, widths, st.integers(0, 20))
def test_a_longer_table_starts_with_the_shorter_one(length: int, d_model: int, more: int) -> None:
    longer = sinusoidal_encoding(length + more, d_model)
    assert np.array_equal(longer[:length], sinusoidal_encoding(length, d_model))


@given(st.integers(1, 16).map(lambda half: 2 * half), st.integers(0, 20), st.integers(0, 20))
def test_dot_product_depends_on_the_distance_only(d_model: int, position: int, distance: int) -> None:
    # sin a sin b + cos a cos b = cos(a - b), in each pair of channels.
    encoding = sinusoidal_encoding(41, d_model).astype(np.float64)
    here = encoding[position] @ encoding[position + distance]
    assert here == pytest.approx(encoding[0] @ encoding[distance], abs=1e-5)


def test_known_values() -> None:
    # By hand, width 4: the angles of position 1 are 1 and 1 / 10000^(2/4) = 0.01;
    # sin 1 = 0.841471, cos 1 = 0.540302, sin 0.01 = 0.0099998, cos 0.01 = 0.99995.
    encoding = sinusoidal_encoding(2, 4)
    assert encoding[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert encoding[1] == pytest.approx([0.841471, 0.540302, 0.0099998, 0.99995], abs=1e-6)


def test_odd_width_ends_with_a_sine() -> None:
    # By hand, width 3: the last channel is 2i = 2, sin(1 / 10000^(2/3)) = sin(0.00215443).
    assert sinusoidal_encoding(2, 3)[1, 2] == pytest.approx(0.00215443, abs=1e-7)
    assert sinusoidal_encoding(2, 1)[1].tolist() == pytest.approx([0.841471], abs=1e-6)


def test_late_positions_are_as_exact_as_early_ones() -> None:
    assert sinusoidal_encoding(4097, 64)[4096, 3] == pytest.approx(
        math.cos(4096 / 10000 ** (2 / 64)), abs=1e-7
    )


def test_sizes_out_of_range_are_refused() -> None:
    assert sinusoidal_encoding(0, 4).shape == (0, 4)
    with pytest.raises(ValueError, match=r"length must be 0 or more\. Received: -1"):
        sinusoidal_encoding(-1, 4)
    with pytest.raises(ValueError, match=r"d_model must be 1 or more\. Received: 0"):
        sinusoidal_encoding(4, 0)


def test_positions_0_1_and_3_computed_elsewhere() -> None:
    """Width 4, the angles pos / 1 and pos / 100, from the power series of sine and cosine, term by term."""

    def by_series(angle: float, first: int) -> float:
        return sum((-1) ** n * angle ** (2 * n + first) / math.factorial(2 * n + first) for n in range(20))

    for position in (0, 1, 3):
        expected = [by_series(angle, first) for angle in (position, position / 100) for first in (1, 0)]
        assert sinusoidal_encoding(4, 4)[position] == pytest.approx(expected, abs=1e-7)
    # And as tables print them: sin 3 = 0.14112, cos 3 = -0.98999, sin 0.03 = 0.02999550, cos 0.03 = 0.99955003.
    assert sinusoidal_encoding(4, 4)[3] == pytest.approx([0.14112, -0.98999, 0.0299955, 0.99955], abs=5e-6)


def test_wavelengths() -> None:
    # By hand, width 4: 2 pi = 6.28319, and 100 times that for the second pair.
    assert wavelengths(4) == pytest.approx([6.28319, 6.28319, 628.319, 628.319], rel=1e-5)
    assert wavelengths(1) == pytest.approx([6.28319], rel=1e-5)
    assert wavelengths(512)[-1] == pytest.approx(2 * math.pi * 10000 ** (510 / 512))


@given(widths, st.integers(0, 40))
def test_a_wave_is_its_channel_and_comes_round_again(d_model: int, position: int) -> None:
    encoding = sinusoidal_encoding(41, d_model)
    for channel in {0, d_model // 2, d_model - 1}:
        assert float(wave(position, channel, d_model)) == pytest.approx(encoding[position, channel], abs=1e-6)
        later = position + wavelengths(d_model)[channel]
        assert wave(later, channel, d_model) == pytest.approx(wave(position, channel, d_model), abs=1e-6)


def test_dot_products_peak_at_the_position_itself() -> None:
    products = dot_products(sinusoidal_encoding(2048, 512), 1000)
    assert products.shape == (2048,)
    assert products.argmax() == 1000
    assert products[1000] == pytest.approx(256, abs=1e-4)  # sin^2 + cos^2 = 1 in each of 256 pairs
    assert np.allclose(products[900:1000], products[1001:1101][::-1], atol=1e-3)  # the same on both sides
