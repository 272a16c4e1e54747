"""Why scores are divided by sqrt(d_k) (Vaswani et al. 2017, section 3.2.1 and its footnote 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.theory.attention import softmax

Floats = NDArray[np.float64]
NUM_KEYS = 8  # for each query
NUM_QUERIES = 100  # to average over


def entropy(shares: ArrayLike) -> Floats:
    """How spread out weights are, in bits: 0 if one has it all, log2(S) if all S are equal.

    Args:
        shares: rows that sum to 1, shape (..., S).

    Returns:
        Entropies, shape (...).
    """
    shares = np.asarray(shares, dtype=np.float64)
    # 0 log 0 is 0.
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.maximum(0.0, -(shares * logs).sum(axis=-1)))


@dataclass(frozen=True)
class ScoreScale:
    """What dividing by sqrt(d_k) does to random queries and keys of one width."""

    d_k: int
    spread: float  # standard deviation of the scores, not divided
    raw_entropy: float  # bits, mean over the queries, not divided
    scaled_entropy: float  # bits, mean over the queries, divided
    raw_weights: Floats  # (S,), of the first query, not divided
    scaled_weights: Floats  # (S,), of the first query, divided


@lru_cache(maxsize=64)
def score_scale(d_k: int) -> ScoreScale:
    """Random queries and keys whose numbers have mean 0 and variance 1, as footnote 4 assumes.

    Args:
        d_k: width of a query and of a key; 1 or more.
    """
    random = np.random.default_rng(0)
    queries = random.standard_normal((NUM_QUERIES, 1, d_k))
    keys = random.standard_normal((NUM_QUERIES, NUM_KEYS, d_k))
    scores = (queries @ keys.swapaxes(-1, -2))[:, 0]  # (queries, S)
    raw, scaled = softmax(scores), softmax(scores / math.sqrt(d_k))
    return ScoreScale(
        d_k,
        float(scores.std()),
        float(entropy(raw).mean()),
        float(entropy(scaled).mean()),
        raw[0],
        scaled[0],
    )
