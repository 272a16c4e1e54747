from itertools import pairwise
from typing import get_args

import numpy as np
import pytest

from core.config import ModelConfig, NormPlacement
from core.model.forward import ForwardPass
from core.model.numpy_ops import layer_norm
from core.theory.norms import measure_stack


def test_layer_norm_by_hand() -> None:
    """Mean 3, variance ((-2)^2 + 0 + 2^2) / 3 = 8/3: -2 / 1.632993 = -1.224745."""
    assert layer_norm([[1.0, 3.0, 5.0]])[0] == pytest.approx([-1.224745, 0.0, 1.224745], abs=1e-5)
    assert layer_norm([[7.0, 7.0]]).tolist() == [[0.0, 0.0]]


def test_the_two_connections_by_hand() -> None:
    x = np.array([[1.0, 3.0]])  # normed: -1, 1
    norm = {"ten_residual/norm/gamma": 1.0, "ten_residual/norm/beta": 0.0}
    pre, post = (
        ForwardPass(ModelConfig(2, 4, d_model=2, num_heads=1, norm=placement), norm)
        for placement in get_args(NormPlacement)[::-1]
    )
    ten = lambda path, read: 10 * read  # noqa: E731
    assert pre.residual("ten", x, ten)[0] == pytest.approx([-9.0, 13.0], abs=1e-4)
    assert post.residual("ten", x, ten)[0] == pytest.approx([-1.0, 1.0], abs=1e-6)  # of 11, 33


def test_post_norm_keeps_the_size_and_pre_norm_lets_it_grow() -> None:
    post, pre = measure_stack("post", 24), measure_stack("pre", 24)
    assert len(post.size) == len(pre.cosine_similarity) == 25
    assert post.size == pytest.approx([1.0] * 25, abs=1e-3)
    assert all(later > earlier for earlier, later in pairwise(pre.size))
    # Each sublayer adds about the same variance, v: after n of them 1 + n v, so size^2 is a straight line.
    squares = np.square(pre.size)
    assert squares[24] - 1 == pytest.approx(2 * (squares[12] - 1), rel=0.2)
    assert pre.cosine_similarity[24] > post.cosine_similarity[24] + 0.1
    assert post.cosine_similarity[0] == pre.cosine_similarity[0] == 1.0
