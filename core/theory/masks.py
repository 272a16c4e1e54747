"""Attention masks as Boolean arrays (Vaswani et al. 2017, sections 3.2.1 and 3.2.3).

True means "may be attended to". Axes: B batch, S source length, T target length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# exp() of it is exactly 0 in float32, and it is finite: it can be added.
BLOCKED = -1e9


def padding_mask(ids: ArrayLike) -> NDArray[np.bool_]:
    """Real tokens may be attended to, padding may not.

    Args:
        ids: token ids, shape (B, S); 0 pads short sentences.

    Returns:
        Mask of shape (B, 1, 1, S); the ones are for all heads and all queries.
    """
    return (np.asarray(ids) != 0)[:, np.newaxis, np.newaxis, :]


def causal_mask(length: int) -> NDArray[np.bool_]:
    """Position t may attend to positions 0 to t: itself and the past, never the future (3.2.3).

    Args:
        length: T, the number of positions; 0 or more.

    Returns:
        Mask of shape (T, T), True on and below the diagonal.
    """
    return np.tril(np.ones((length, length), dtype=np.bool_))


def decoder_mask(ids: ArrayLike) -> NDArray[np.bool_]:
    """The mask of the decoder's self-attention: no padding, and nothing in the future.

    Args:
        ids: decoder-input token ids, shape (B, T).

    Returns:
        Mask of shape (B, 1, T, T).
    """
    not_padding = padding_mask(ids)  # (B, 1, 1, T)
    return not_padding & causal_mask(not_padding.shape[-1])


def answers_in_sight(mask: ArrayLike) -> int:
    """How many words a decoder in training could copy instead of predicting.

    Its input holds the whole translation, and what position t predicts is the word at t + 1.

    Args:
        mask: Boolean, shape (T, T); True = may be attended to.
    """
    return int(np.diagonal(mask, offset=1).sum())


def additive(mask: ArrayLike) -> NDArray[np.float32]:
    """The mask as numbers to add to the scores before the softmax (3.2.3).

    Args:
        mask: Boolean, any shape.

    Returns:
        Same shape: 0 where the mask is True, -1e9 where it is False.
    """
    return np.where(np.asarray(mask, dtype=np.bool_), 0.0, BLOCKED).astype(np.float32)
