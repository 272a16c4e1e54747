from __future__ import annotations

import numpy as np
import pytest

from core.theory.untrained_head import D_MODEL, untrained_kernels, word_vectors


def test_word_vectors_are_the_words_own() -> None:
    vectors = word_vectors(["dog", "man", "dog", ""])
    assert vectors.shape == (4, D_MODEL)
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.allclose(vectors[0], vectors[1])
    assert vectors[3].std() == pytest.approx(1.0, abs=0.5)
    assert word_vectors([]).shape == (0, D_MODEL)


def test_kernels_keep_the_variance() -> None:
    kernels = untrained_kernels(seed=0)
    assert kernels.shape == (3, D_MODEL, D_MODEL)
    assert np.array_equal(kernels, untrained_kernels(seed=0))
    assert not np.allclose(kernels, untrained_kernels(seed=1))
    many = np.random.default_rng(5).standard_normal((2000, D_MODEL))
    assert (many @ kernels[0]).var() == pytest.approx(1.0, abs=0.2)
