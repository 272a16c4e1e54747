"""Attention over a sentence and over the same words shuffled, without positions and with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.figures.heatmap import color_axis, heatmap
from core.figures.panels import side_by_side
from core.figures.theme import Figure
from core.theory.untrained_head import read_words

_CELLS_HEIGHT = 210  # pixels


@dataclass(frozen=True)
class WordOrderInfo:
    """Four attention maps, rows and columns always in the written order, and what shuffling changed."""

    shuffled: tuple[str, ...]  # the words in the other order
    words: tuple[str, ...]  # as written
    weights: tuple[
        NDArray[np.floating], ...
    ]  # without positions: written, shuffled; with positions: the same
    titles: tuple[str, ...]
    change_without: float  # the largest difference in the output of any word
    change_with: float


def word_order_info(words: Sequence[str], order: Sequence[int]) -> WordOrderInfo:
    """Read the words in their written order and in another, without positions and with them.

    Args:
        words: as written; 1 or more.
        order: a permutation of their places.
    """
    matrices, titles, changes = [], [], []
    for with_positions in (False, True):
        outputs, weights = read_words(words, range(len(words)), with_positions)
        shuffled_outputs, shuffled_weights = read_words(words, order, with_positions)
        matrices += [weights, shuffled_weights]
        name = "With positions" if with_positions else "Without positions"
        titles += [f"{name}, as written", f"{name}, shuffled"]
        changes.append(float(np.abs(outputs - shuffled_outputs).max()))
    found = tuple(words[place] for place in order)
    return WordOrderInfo(found, tuple(words), tuple(matrices), tuple(titles), *changes)


def word_order_figures(info: WordOrderInfo) -> tuple[Figure, ...]:
    """Draw the four maps."""
    colors = color_axis((0.0, float(np.max(info.weights))), "below")
    says = "{row} attends to {column}: {value:.3f}"
    figures = [
        heatmap(weights, info.words, info.words, hover=says, colors=colors, columns_above=True)
        for weights in info.weights
    ]
    return side_by_side(info.titles, figures, _CELLS_HEIGHT, upright=True)
