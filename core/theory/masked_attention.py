"""One untrained head's scores over a sentence, and what a mask makes of them (Vaswani et al. 2017, 3.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.theory.attention import masked_softmax, softmax
from core.theory.attention_steps import attention_steps
from core.theory.masks import additive
from core.theory.positional_encoding import sinusoidal_encoding
from core.theory.untrained_head import D_MODEL, untrained_kernels, word_vectors

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class MaskedAttention:
    """From scores to weights, without a mask and with one. Axes: T queries, S keys."""

    scores: Floats  # Q K^T / sqrt(d_k), (T, S)
    added: Floats  # 0 where attention is allowed, -1e9 where not, (T, S)
    masked: Floats  # scores + added, (T, S)
    without: Floats  # softmax(scores), (T, S)
    weights: Floats  # softmax(masked); 0 in a row masked everywhere, (T, S)


def masked_attention(scores: ArrayLike, mask: ArrayLike) -> MaskedAttention:
    """Put a mask between scores and softmax, and keep every intermediate result.

    Args:
        scores: scaled, shape (T, S).
        mask: Boolean, shape (T, S); True = may be attended to.
    """
    scaled = np.asarray(scores, np.float64)
    added = additive(mask).astype(np.float64)
    return MaskedAttention(scaled, added, scaled + added, softmax(scaled), masked_softmax(scaled, mask))


def untrained_scores(words: Sequence[str]) -> Floats:
    """The scores of one untrained head for each pair of words at their positions.

    Args:
        words: T of them, 1 or more.

    Returns:
        Q K^T / sqrt(d_k), shape (T, T), rounded to one decimal, to calculate with by hand.
    """
    embedded = word_vectors(words) + sinusoidal_encoding(len(words), D_MODEL)
    return attention_steps(embedded, *untrained_kernels(seed=1)).scaled.round(1)
