"""Why scores are divided by sqrt(d_k) (Vaswani et al. 2017, section 3.2.1 and its footnote 4)."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Doubles
from core.model.numpy_ops import softmax

NUM_KEYS = 8  # per query
NUM_QUERIES = 100  # averaged over


def entropy(shares: ArrayLike) -> Doubles:
    """Return how evenly weights are spread, in bits: 0 if one has all, log2(S) if all S are equal.

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
class WeightsOfScores:
    """What the softmax makes of scores."""

    entropy: float  # bits, mean over the queries
    first: Doubles  # (S,), the weights of the first query

    @classmethod
    def of(cls, scores: Doubles) -> Self:
        """Measure the softmax of scores (queries, S)."""
        weights = softmax(scores)
        return cls(float(entropy(weights).mean()), weights[0])


@dataclass(frozen=True)
class ScoreScale:
    """The effect of dividing by sqrt(d_k) on random queries and keys of one width."""

    d_k: int
    spread: float  # standard deviation of the raw scores
    raw: WeightsOfScores
    scaled: WeightsOfScores  # of the divided scores


@lru_cache(maxsize=64)
def score_scale(d_k: int) -> ScoreScale:
    """Measure random queries and keys with mean 0 and variance 1, as footnote 4 assumes.

    Args:
        d_k: width of queries and keys; 1 or more.
    """
    random = np.random.default_rng(0)
    queries = random.standard_normal((NUM_QUERIES, 1, d_k))
    keys = random.standard_normal((NUM_QUERIES, NUM_KEYS, d_k))
    scores = (queries @ keys.swapaxes(-1, -2))[:, 0]  # (queries, S)
    scaled = scores / math.sqrt(d_k)
    return ScoreScale(d_k, float(scores.std()), WeightsOfScores.of(scores), WeightsOfScores.of(scaled))
