"""One sentence's scores and their softmax, no mask and with a mask, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.figures import theme
from core.figures.cell_numbers import number_texts
from core.figures.color_bar import color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.label_fit import MIN_COLUMN, column_width, longest_label, longest_line
from core.figures.number_tables import Mark, NumberTable, number_table
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure
from core.theory.attention import masked_softmax, softmax
from core.theory.masks import additive

_ROW_HEIGHT = 36  # pixels


@dataclass(frozen=True)
class MaskedAttentionInfo:
    """The current row, number by number, and both matrices up to it."""

    table: NumberTable  # a row for each key: score, what the mask adds, both weights
    panels: tuple[HeatmapInfo, HeatmapInfo]  # weights without and with the mask; later rows are blank
    now: int  # the current row, from 0
    blocked: int  # words that are masked in the row
    lost: float  # the attention they get without the mask


def masked_attention_info(
    scores: ArrayLike, mask: ArrayLike, words: Sequence[str], written: int
) -> MaskedAttentionInfo:
    """Follow one sentence to a word.

    Args:
        scores: scaled, shape (T, T).
        mask: Boolean, shape (T, T); True = may be attended to.
        words: T of them, padding included.
        written: how many rows there are so far, 1 to T.
    """
    scores = np.asarray(scores, np.float64)
    without, weights = softmax(scores), masked_softmax(scores, mask)
    now = written - 1
    blocked = ~np.asarray(mask, np.bool_)[now]
    columns = np.stack([scores[now], additive(mask)[now], without[now], weights[now]], axis=1)
    marks: dict[tuple[int, int], Mark] = {(int(row), 1): "read" for row in np.flatnonzero(blocked)}
    table = number_table(
        f"“{words[now]}” attends to …",
        columns,
        words,
        ("score", "mask adds", "softmax, no mask", "softmax, mask"),
        marks,
    )
    panels = (_grown(without, words, written), _grown(weights, words, written))
    return MaskedAttentionInfo(table, panels, now, int(blocked.sum()), float(without[now][blocked].sum()))


def masked_attention_figures(info: MaskedAttentionInfo) -> tuple[Figure, ...]:
    """Draw both matrices, the row that is written now framed."""
    labels = info.panels[0].column_labels
    width = column_width(labels, len(labels), across=2)
    upright = longest_label(labels) > width
    number = longest_line(["0.00"])
    panels = [
        Panel(
            title,
            heatmap_trace(
                heatmap.values, heatmap.hover, number_texts(heatmap, ".2f") if number <= width else ()
            ),
            heatmap,
        )
        for title, heatmap in zip(
            ("Softmax without the mask", "Softmax with the mask"), info.panels, strict=True
        )
    ]
    needed = max(number if number <= width else MIN_COLUMN, 0 if upright else longest_label(labels))
    height = len(labels) * _ROW_HEIGHT
    figures = panel_figures(panels, height, needed, color_axis((0.0, 1.0), "below"), upright=upright)
    frame = {
        "type": "rect", "x0": -0.5, "x1": len(labels) - 0.5, "y0": info.now - 0.5, "y1": info.now + 0.5,
        "line": {"color": theme.VERMILLION, "width": 3},
    }  # fmt: skip
    for figure in figures:
        figure["layout"]["shapes"] = [frame]
    return figures


def _grown(matrix: ArrayLike, words: Sequence[str], written: int) -> HeatmapInfo:
    values = np.array(matrix, np.float64)
    values[written:] = np.nan  # not there yet
    return heatmap_info(
        values, words, words, row_title="query position", column_title="key position",
        hover_format="“{row}” attends to “{column}” with weight {value:.3f}", color_range=(0.0, 1.0),
    )  # fmt: skip
