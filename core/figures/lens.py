"""What each layer would say at each step, as words in the cells of a heatmap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.figures import theme
from core.figures.cell_numbers import colored_text, is_bright
from core.figures.color_bar import BAR_WIDTH, color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace, label_axes
from core.figures.label_fit import longest_label, row_height
from core.figures.theme import Figure

MAX_ROWS = 128  # words that are labelled

_ROW_HEIGHT, _LEAST_ROW_HEIGHT = 30, 20  # pixels
_AROUND = 76  # pixels above and below the cells
_TOP = 270  # pixels of the page above
_SCREEN = 780  # pixels, the most that is asked for
_PERCENT = " 100 %"


@dataclass(frozen=True)
class LensInfo:
    """Rows: the words written. Columns: the places of a stack, the embedding first."""

    heatmap: HeatmapInfo  # probability of the word that was written
    words: tuple[tuple[str, ...], ...]  # the likeliest there, in the shape of the heatmap
    probabilities: tuple[tuple[float, ...], ...]  # of these
    is_final: tuple[tuple[bool, ...], ...]  # whether that is the word that was written


def lens_info(
    written: Sequence[str],
    words: Sequence[Sequence[str]],
    probabilities: ArrayLike,
    final_probabilities: ArrayLike,
    final_ranks: ArrayLike,
    place_title: str,
) -> LensInfo:
    """Label a lens.

    Args:
        written: the tokens of the translation, T.
        words: the likeliest at each place and position, (L + 1, T).
        probabilities: of these, (L + 1, T), 0 to 1.
        final_probabilities: of the tokens written, (L + 1, T).
        final_ranks: of the tokens written, (L + 1, T), from 1.
        place_title: what the columns are.
    """
    probability, final, ranks = (
        np.asarray(each).T for each in (probabilities, final_probabilities, final_ranks)
    )
    layers = probability.shape[1] - 1
    columns = ["0", *(str(layer) for layer in range(1, layers)), f"{layers} = output"]
    rows = [f"{number}. {token}" for number, token in enumerate(written, start=1)]
    heatmap = heatmap_info(final, rows, columns, column_title=place_title, color_range=(0.0, 1.0))
    shown = tuple(tuple(place[t] for place in words) for t in range(len(written)))
    hover = tuple(
        tuple(
            f"after layer {column}: “{shown[t][column]}” {probability[t, column]:.1%}; "
            f"“{token}”, which was written: {final[t, column]:.1%}, rank {ranks[t, column]:,}"
            for column in range(layers + 1)
        )
        for t, token in enumerate(written)
    )
    labelled = HeatmapInfo(
        heatmap.values, heatmap.row_labels, heatmap.column_labels, hover, "", place_title, (0.0, 1.0)
    )
    is_final = tuple(tuple(bool(rank == 1) for rank in row) for row in ranks)
    return LensInfo(labelled, shown, tuple(map(tuple, probability.tolist())), is_final)


def lens_figure(info: LensInfo) -> Figure:
    """Draw it: the color is the probability of the word that was written, the word in bold where it is the likeliest."""
    values = info.heatmap.values
    row = row_height(len(values), _ROW_HEIGHT, _LEAST_ROW_HEIGHT, _AROUND, _TOP)
    height = _AROUND + row * len(values)
    if not values:
        return theme.message_figure("Nothing to show yet", 200)
    texts = [
        [
            _cell(word, share, final, is_bright(color or 0.0))
            for word, share, final, color in zip(*row, strict=True)
        ]
        for row in zip(info.words, info.probabilities, info.is_final, values, strict=True)
    ]
    cell = longest_label([*(word + _PERCENT for row in info.words for word in row)])
    width = longest_label(info.heatmap.row_labels) + cell * len(values[0]) + BAR_WIDTH
    layout = {
        "coloraxis": color_axis((0.0, 1.0)),
        "margin": {"t": 12},
        "meta": {"min_width": min(_SCREEN, width)},
        **label_axes(info.heatmap, most_rows=MAX_ROWS),
    }
    return theme.plain_figure([heatmap_trace(values, info.heatmap.hover, texts)], layout, height)


def _cell(word: str, probability: float, is_final: bool, on_bright: bool) -> str:
    shown = theme.escaped(theme.shortened(word))
    named = f"<b>{shown}</b>" if is_final else shown
    return colored_text(f"{named} {probability:.0%}", on_bright)
