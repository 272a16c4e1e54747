"""One attention head before training, over words as random vectors: it shows what needs no learning."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
D_MODEL = 32


def word_vectors(words: Sequence[str]) -> Floats:
    """Random embeddings, the same for the same word; shape (T, D), variance 1."""
    drawn = [np.random.default_rng(zlib.crc32(word.encode())).standard_normal(D_MODEL) for word in words]
    return np.array(drawn).reshape(-1, D_MODEL)


def untrained_kernels(seed: int) -> Floats:
    """Random W_Q, W_K and W_V, shape (3, D, D); they keep the variance of their input."""
    return np.random.default_rng(seed).standard_normal((3, D_MODEL, D_MODEL)) * D_MODEL**-0.5
