"""Attention in a dozen lines (Vaswani et al. 2017, section 3.2.1).

Axes: T positions that look, S positions that are looked at, K head dimension.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.theory.masks import additive


def softmax(scores: ArrayLike) -> NDArray[np.float64]:
    """Scores to shares: exp(score) / sum of exp(scores), over the last axis.

    Args:
        scores: finite numbers, shape (..., S); S is 1 or more.

    Returns:
        Same shape; each row is at least 0 and sums to 1.
    """
    scores = np.asarray(scores, dtype=np.float64)
    # Subtracting the largest score changes no share, and keeps exp() from overflowing.
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


def masked_softmax(scores: ArrayLike, mask: ArrayLike) -> NDArray[np.float64]:
    """Shares over what may be looked at: -1e9 is added to the other scores, and then the softmax taken.

    Args:
        scores: finite numbers, shape (..., S); S is 1 or more.
        mask: Boolean, fits the scores by broadcasting; True = may be looked at.

    Returns:
        Shape of the scores. Shares are exactly 0 where masked; each row sums to 1, but for a row that may look
        nowhere, which is all 0.
    """
    # After the softmax again, or a row that may look nowhere would look at its blocked positions.
    return np.where(mask, softmax(np.asarray(scores, dtype=np.float64) + additive(mask)), 0.0)


def scaled_dot_product_attention(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, mask: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Equation (1): Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V.

    Args:
        queries: what each position asks, shape (..., T, K).
        keys: what each position offers, shape (..., S, K).
        values: what each position tells, shape (..., S, K).
        mask: Boolean, fits (..., T, S) by broadcasting; True = may be looked at. None = all may.

    Returns:
        The output, shape (..., T, K), and the weights, shape (..., T, S). Weights are exactly 0
        where masked; each row sums to 1, but for a row that may look nowhere, which is all 0.

    Raises:
        ValueError: the widths of queries and keys, or the lengths of keys and values, differ.
    """
    queries, keys, values = (np.asarray(array, dtype=np.float64) for array in (queries, keys, values))
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(
            f"queries and keys must be equally wide. Received: {queries.shape[-1]} and {keys.shape[-1]}"
        )
    if keys.shape[-2] != values.shape[-2]:
        raise ValueError(
            f"There must be one value for each key. Received: {keys.shape[-2]} keys and "
            f"{values.shape[-2]} values"
        )
    scores = queries @ keys.swapaxes(-1, -2) / math.sqrt(queries.shape[-1])  # (..., T, S)
    if mask is None:
        mask = np.ones(scores.shape, dtype=np.bool_)
    weights = masked_softmax(scores, mask)
    return weights @ values, weights
