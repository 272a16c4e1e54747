from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.theory.embedding import embed, look_up, one_hot

MATRIX = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [-1, 0, 0.5, 9]], np.float32)  # V = 3, D = 4


def test_one_hot_by_hand() -> None:
    assert one_hot([2, 0], 3).tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert one_hot(1, 3).tolist() == [0.0, 1.0, 0.0]
    assert one_hot(np.zeros((2, 0), np.int64), 3).shape == (2, 0, 3)


@given(
    ids=st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=4),
    seed=st.integers(0, 1000),
)
def test_one_hot_times_the_matrix_is_the_row(ids: list[list[int]], seed: int) -> None:
    matrix = np.random.default_rng(seed).standard_normal((7, 5)).astype(np.float32)
    product = one_hot(ids, 7) @ matrix
    assert product.shape == (len(ids), 3, 5)
    np.testing.assert_array_equal(product, look_up(ids, matrix))
    for sentence, row in enumerate(ids):
        for position, token_id in enumerate(row):
            np.testing.assert_array_equal(product[sentence, position], matrix[token_id])


def test_the_embedding_is_scaled_by_the_root_of_the_width() -> None:
    """By hand: the width is 4, so every number doubles."""
    assert embed([[2, 1]], MATRIX).tolist() == [[[-2.0, 0.0, 1.0, 18.0], [10.0, 12.0, 14.0, 16.0]]]
    assert embed([[2, 1]], MATRIX).dtype == np.float32
