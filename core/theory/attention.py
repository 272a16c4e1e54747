"""Scaled dot-product attention (Vaswani et al. 2017, section 3.2.1). Axis letters: see `core.config`."""

import math

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Reals
from core.theory.masks import additive


def softmax(scores: ArrayLike) -> Reals:
    """Return the scores as weights: exp(score) / sum of exp(scores), over the last axis.

    Args:
        scores: finite numbers, shape (..., S); S is 1 or more.

    Returns:
        Same shape; each row is at least 0 and sums to 1.
    """
    scores = np.asarray(scores)
    # Subtracting the largest score changes no weight, and keeps exp() from overflowing.
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


def masked_softmax(scores: ArrayLike, mask: ArrayLike) -> Reals:
    """Return the softmax over the positions that may be attended to, after adding -1e9 to all other scores.

    Args:
        scores: finite numbers, shape (..., S); S is 1 or more.
        mask: Boolean, fits the scores by broadcasting; True = may be attended to.

    Returns:
        Shape of the scores. Weights are exactly 0 where masked; each row sums to 1, unless all of it is
        masked: then it is all 0.
    """
    # Mask again after the softmax: a row that is masked everywhere would attend to blocked positions.
    return np.where(mask, softmax(np.asarray(scores) + additive(mask)), 0.0)


def scaled_dot_product_attention(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Reals, Reals]:
    """Compute softmax(Q K^T / sqrt(d_k)) V, the paper's equation (1).

    Args:
        queries: what each position looks for, shape (..., T, K).
        keys: what each position offers, shape (..., S, K).
        values: what each position contributes, shape (..., S, K).
        mask: Boolean, fits (..., T, S) by broadcasting; True = may be attended to. None = all may.

    Returns:
        The output, shape (..., T, K), and the weights, shape (..., T, S). Weights are exactly 0
        where masked; each row sums to 1, unless all of it is masked: then it is all 0.
    """
    queries, keys, values = np.asarray(queries), np.asarray(keys), np.asarray(values)
    scores = queries @ keys.swapaxes(-1, -2) / math.sqrt(queries.shape[-1])  # (..., T, S)
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask)
    return weights @ values, weights
