"""Attention masks, True where attention is allowed (Vaswani et al. 2017, 3.2.3). Axis letters: see `core.config`."""

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Bools, Floats
from core.tokens.vocabulary import PAD_ID

# exp() of it is exactly 0 in float32; being finite, it can be added to scores.
BLOCKED = -1e9


def padding_mask(ids: ArrayLike) -> Bools:
    """Return where attention is allowed: on real tokens, not on padding.

    Args:
        ids: token ids, shape (B, S); PAD_ID fills up short sentences.

    Returns:
        Mask of shape (B, 1, 1, S); the axes of length 1 stand for all heads and all queries.
    """
    return (np.asarray(ids) != PAD_ID)[:, np.newaxis, np.newaxis, :]


def causal_mask(length: int) -> Bools:
    """Return the mask that hides the future: position t may attend to positions 0 to t (3.2.3).

    Args:
        length: T, the number of positions; 0 or more.

    Returns:
        Mask of shape (T, T), True on and below the diagonal.
    """
    return np.tril(np.ones((length, length), dtype=np.bool_))


def decoder_mask(ids: ArrayLike) -> Bools:
    """Return the mask of the decoder's self-attention, which hides padding and the future (3.2.3).

    Args:
        ids: decoder-input token ids, shape (B, T).

    Returns:
        Mask of shape (B, 1, T, T).
    """
    not_padding = padding_mask(ids)  # (B, 1, 1, T)
    return not_padding & causal_mask(not_padding.shape[-1])


def count_visible_labels(mask: ArrayLike) -> int:
    """Count the words that a decoder in training could copy instead of predicting.

    Its input holds the whole translation, and position t predicts the word at t + 1.

    Args:
        mask: Boolean, shape (T, T); True = may be attended to.
    """
    return int(np.diagonal(mask, offset=1).sum())


def additive(mask: ArrayLike) -> Floats:
    """Return the mask as numbers that are added to the scores before the softmax (3.2.3).

    Args:
        mask: Boolean, of any shape.

    Returns:
        Numbers of the same shape: 0 where the mask is True, -1e9 where it is False.
    """
    return np.where(np.asarray(mask, dtype=np.bool_), 0.0, BLOCKED).astype(np.float32)
