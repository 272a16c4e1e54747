"""Attention over a sentence and over the same words shuffled, without positions and with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.figures.color_bar import color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.label_fit import MIN_COLUMN
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure
from core.theory.untrained_head import read_words

_CELLS_HEIGHT = 210  # pixels


@dataclass(frozen=True)
class WordOrderInfo:
    """Four attention maps, rows and columns always in the written order, and what shuffling changed."""

    shuffled: tuple[str, ...]  # the words in the other order
    panels: tuple[HeatmapInfo, ...]  # without positions: written, shuffled; with positions: the same
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
    highest = float(np.max(matrices))
    panels = [
        heatmap_info(
            matrix, words, words, hover_format="{row} attends to {column}: {value:.3f}",
            color_range=(0.0, highest),
        )
        for matrix in matrices
    ]  # fmt: skip
    found = tuple(words[place] for place in order)
    return WordOrderInfo(found, tuple(panels), tuple(titles), *changes)


def word_order_figures(info: WordOrderInfo) -> tuple[Figure, ...]:
    """Draw the four maps."""
    panels = [
        Panel(title, heatmap_trace(map_.values, map_.hover), map_)
        for title, map_ in zip(info.titles, info.panels, strict=True)
    ]
    colors = color_axis(info.panels[0].color_range, "below")
    return panel_figures(panels, _CELLS_HEIGHT, MIN_COLUMN, colors, upright=True, columns_above=True)
