"""What a decoder in training sees of its own answers (Vaswani et al. 2017, 3.2.3). Axis letters: see `core.config`."""

import numpy as np
from numpy.typing import ArrayLike


def count_visible_labels(mask: ArrayLike) -> int:
    """Count the words that a decoder in training could copy instead of predicting.

    Its input holds the whole translation, and position t predicts the word at t + 1.

    Args:
        mask: Boolean, shape (T, T); True = may be attended to.
    """
    return int(np.diagonal(mask, offset=1).sum())
