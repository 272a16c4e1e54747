"""Attention over a sentence and over the same words shuffled, without positions and with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.figures.heatmap import HeatmapInfo, color_axis, heatmap_info, heatmap_trace, label_axis
from core.theory.word_order import read_words

_PANEL_HEIGHT = 300  # pixels, with its title and its labels


@dataclass(frozen=True)
class WordOrderInfo:
    """Four attention maps, rows and columns always in the written order, and what shuffling changed."""

    shuffled: tuple[str, ...]  # the words as the second reading found them
    panels: tuple[HeatmapInfo, ...]  # without positions: written, shuffled; with positions: the same
    titles: tuple[str, ...]
    change_without: float  # the largest difference in anything a word receives
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
            matrix, words, words, hover_format="{row} looks at {column}: {value:.3f}",
            color_range=(0.0, highest),
        )
        for matrix in matrices
    ]  # fmt: skip
    found = tuple(words[place] for place in order)
    return WordOrderInfo(found, tuple(panels), tuple(titles), *changes)


def word_order_figure(info: WordOrderInfo, stacked: bool = False) -> go.Figure:
    """Draw the four maps, two by two or, for a phone, one above the other."""
    if not info.shuffled:
        return theme.apply_message(theme.apply_theme(go.Figure(), 240), "There are no words to shuffle")
    across = 1 if stacked else 2
    down = len(info.panels) // across
    height = 40 + _PANEL_HEIGHT * down
    figure = make_subplots(
        rows=down,
        cols=across,
        subplot_titles=info.titles,
        vertical_spacing=95 / height,
        horizontal_spacing=0.14,
    )
    theme.apply_theme(figure, height)
    for number, panel in enumerate(info.panels):
        row, column = number // across + 1, number % across + 1
        figure.add_trace(heatmap_trace(panel), row=row, col=column)
        figure.update_xaxes(**label_axis(panel.column_labels), row=row, col=column)
        figure.update_yaxes(**label_axis(panel.row_labels, down=True), row=row, col=column)
    figure.update_annotations(font_size=theme.FONT_SIZE)
    figure.update_layout(coloraxis=color_axis(info.panels[0].color_range))
    return figure
