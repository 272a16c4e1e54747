"""Attention over a sentence and over the same words shuffled, without positions and with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.figures import theme
from core.figures.color_bar import color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.label_fit import MIN_COLUMN
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure
from core.theory.word_order import read_words

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
        words: as written.
        order: a permutation of their places.
    """
    matrices, titles, changes = [], [], []
    for with_positions in (False, True):
        written = read_words(words, range(len(words)), with_positions)
        shuffled = read_words(words, order, with_positions)
        for reading, name in ((written, "as written"), (shuffled, "shuffled")):
            matrices.append(reading.weights)
            titles.append(f"{'With' if with_positions else 'Without'} positions, {name}")
        changes.append(written.change(shuffled))
    highest = max(matrix.max(initial=0.0) for matrix in matrices)
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
    if not info.shuffled:
        return (theme.message_figure("There are no words to shuffle", 240),)
    panels = [
        Panel(title, heatmap_trace(map_.values, map_.hover), map_)
        for title, map_ in zip(info.titles, info.panels, strict=True)
    ]
    colors = color_axis(info.panels[0].color_range, "below")
    return panel_figures(panels, _CELLS_HEIGHT, MIN_COLUMN, colors, upright=True, columns_above=True)
