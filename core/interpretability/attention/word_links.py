"""Links between words, read from cross-attention."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Link = tuple[int, int]  # source word, target word, from 0


def attention_links(weights: Floats) -> frozenset[Link]:
    """Each target word with the source word it attends to most, from attention between words (T, S)."""
    return frozenset((int(source), target) for target, source in enumerate(weights.argmax(axis=-1)))
