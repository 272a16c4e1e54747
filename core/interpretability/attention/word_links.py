"""Links between words, read from cross-attention."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Link = tuple[int, int]  # source word, target word, from 0
Step = Literal["writes", "reads"]
"""Whose attention aligns a target word: the step that writes it, or the one after, which reads it.

Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine Translation": the second aligns far better.
In the shipped model of TED that holds for one head of the first layer; its later layers align where they write.
"""


def rows_at_step(cross: Floats, step: Step) -> Floats:
    """Rows (..., T - 1, S) of the T - 1 target tokens without the end, from cross-attention (..., T, S)."""
    return cross[..., :-1, :] if step == "writes" else cross[..., 1:, :]


def attention_links(weights: Floats) -> frozenset[Link]:
    """Each target word with the source word it attends to most, from attention between words (T, S)."""
    return frozenset((int(source), target) for target, source in enumerate(weights.argmax(axis=-1)))
