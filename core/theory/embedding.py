"""From ids to vectors: one-hot rows, and the embedding as their product with a matrix (Vaswani et al. 2017, 3.4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]


def one_hot(ids: ArrayLike, vocab_size: int) -> Floats:
    """Each id as a row of zeros with a single 1, at the id's place.

    Args:
        ids: whole numbers from 0 to vocab_size - 1, of any shape.
        vocab_size: entries of the vocabulary, V.

    Returns:
        Rows of shape (*shape of the ids, V).
    """
    places = np.asarray(ids, np.int64)
    rows = np.zeros((*places.shape, vocab_size), np.float32)
    np.put_along_axis(rows, places[..., np.newaxis], 1.0, axis=-1)
    return rows


def look_up(ids: ArrayLike, matrix: Floats) -> Floats:
    """The matrix's row of each id: the same as `one_hot(ids, V) @ matrix`, without the multiplications by 0.

    Args:
        ids: of any shape.
        matrix: the embedding, shape (V, D).

    Returns:
        Vectors of shape (*shape of the ids, D).
    """
    return matrix[np.asarray(ids, np.int64)]


def embed(ids: ArrayLike, matrix: Floats) -> Floats:
    """Token embedding times sqrt(d_model), as the model computes it before it adds the positions (3.4).

    Args:
        ids: a batch, shape (B, T), or of any other shape.
        matrix: the embedding, shape (V, D).

    Returns:
        Vectors of shape (*shape of the ids, D); (B, T, D) for a batch.
    """
    return look_up(ids, matrix) * np.float32(math.sqrt(matrix.shape[1]))
