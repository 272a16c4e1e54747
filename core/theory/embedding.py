"""One-hot vectors (Vaswani et al. 2017, section 3.4). Axis letters: see `core.config`."""

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
