"""One-hot vectors and embeddings (Vaswani et al. 2017, section 3.4). Axis letters: see `core.config`."""

import math

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Floats


def one_hot(ids: ArrayLike, vocab_size: int) -> Floats:
    """Return each id as a row of zeros with a single 1 at the id's index.

    Args:
        ids: whole numbers from 0 to vocab_size - 1, of any shape.
        vocab_size: V, the number of entries of the vocabulary.

    Returns:
        Rows of shape (*shape of the ids, V).
    """
    places = np.asarray(ids, np.int64)
    rows = np.zeros((*places.shape, vocab_size), np.float32)
    np.put_along_axis(rows, places[..., np.newaxis], 1.0, axis=-1)
    return rows


def look_up(ids: ArrayLike, matrix: Floats) -> Floats:
    """Return the matrix's row for each id: the same as `one_hot(ids, V) @ matrix`, without multiplying by 0.

    Args:
        ids: whole numbers from 0 to V - 1, of any shape.
        matrix: the embedding, shape (V, D).

    Returns:
        Vectors of shape (*shape of the ids, D).
    """
    return matrix[np.asarray(ids, np.int64)]


def embed(ids: ArrayLike, matrix: Floats) -> Floats:
    """Return token embeddings times sqrt(d_model), to which the model then adds positions (3.4).

    Args:
        ids: a batch (B, T), or any other shape.
        matrix: the embedding, shape (V, D).

    Returns:
        Vectors of shape (*shape of the ids, D); (B, T, D) for a batch.
    """
    return look_up(ids, matrix) * np.float32(math.sqrt(matrix.shape[1]))
