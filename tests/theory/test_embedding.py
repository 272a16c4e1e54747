"""From ids to vectors, and the positions that are added to them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.forward import embed, sinusoidal_encoding
from core.model.numpy_ops import take
from core.theory.embedding import one_hot
from core.theory.positional_encoding import dot_products, wave, wavelengths

# Late positions are as exact as early ones.
lengths = st.integers(1, 60) | st.just(4097)
widths = st.integers(1, 33)


def test_ids_as_vectors_by_hand() -> None:
    assert one_hot([2, 0], 3).tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    # The width is 4, so every number doubles.
    matrix = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [-1, 0, 0.5, 9]], np.float32)  # V = 3, D = 4
    vectors = embed(np.array([[2, 1]]), matrix)
    assert vectors.tolist() == [[[-2.0, 0.0, 1.0, 18.0], [10.0, 12.0, 14.0, 16.0]]]
    assert vectors.dtype == np.float32


@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=4))
def test_one_hot_times_the_matrix_is_the_row(ids: list[list[int]]) -> None:
    matrix = np.random.default_rng(0).standard_normal((7, 5)).astype(np.float32)
    product = one_hot(ids, 7) @ matrix
    assert product.shape == (len(ids), 3, 5)
    np.testing.assert_array_equal(product, take(matrix, np.array(ids)))


@given(lengths, widths, st.integers(0, 20))
def test_each_channel_follows_the_formula_of_section_3_5(length: int, d_model: int, more: int) -> None:
    encoding = sinusoidal_encoding(length, d_model)
    assert encoding.shape == (length, d_model)
    assert encoding.dtype == np.float32
    for channel in range(d_model):
        function = math.cos if channel % 2 else math.sin
        angle = (length - 1) / 10000 ** ((channel - channel % 2) / d_model)
        assert encoding[-1, channel] == pytest.approx(function(angle), abs=1e-7)
    assert np.array_equal(sinusoidal_encoding(length + more, d_model)[:length], encoding)


@given(st.integers(1, 16), st.integers(0, 20), st.integers(0, 20))
def test_dot_product_depends_on_the_distance_only(half: int, position: int, distance: int) -> None:
    # sin a sin b + cos a cos b = cos(a - b), in each pair of channels.
    encoding = sinusoidal_encoding(41, 2 * half)
    here = dot_products(encoding, position)
    assert here[position] == pytest.approx(half)  # its peak: sin^2 + cos^2 = 1 in each pair
    expected = encoding[0].astype(np.float64) @ encoding[distance]
    assert here[position + distance] == pytest.approx(expected, abs=1e-5)


@given(widths, st.integers(0, 40))
def test_a_wave_is_its_channel_and_comes_round_again(d_model: int, position: int) -> None:
    encoding = sinusoidal_encoding(41, d_model)
    for channel in {0, d_model // 2, d_model - 1}:
        assert float(wave(position, channel, d_model)) == pytest.approx(encoding[position, channel], abs=1e-6)
        later = position + wavelengths(d_model)[channel]
        assert wave(later, channel, d_model) == pytest.approx(wave(position, channel, d_model), abs=1e-6)
    # By hand, width 4: 2 pi = 6.28319, and 100 times that for the second pair.
    assert wavelengths(4) == pytest.approx([6.28319, 6.28319, 628.319, 628.319], rel=1e-5)
