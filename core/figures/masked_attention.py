"""One sentence's scores, and what a softmax makes of them without a mask and with one, as far as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from core.figures import theme
from core.figures.cell_numbers import write_numbers
from core.figures.color_bar import color_axis_below
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.label_fit import column_width, longest_label, longest_line
from core.figures.number_tables import Mark, NumberTable, number_table
from core.figures.panels import label_panel, panels_figure, room_for_columns
from core.theory.masked_attention import masked_attention

_ROW_HEIGHT = 36  # pixels


@dataclass(frozen=True)
class MaskedAttentionInfo:
    """The row that is written now, number by number, and both matrices as far as they have grown."""

    table: NumberTable  # a row for each word looked at: score, what the mask adds, both shares
    panels: tuple[HeatmapInfo, HeatmapInfo]  # shares without the mask and with it; later rows are blank
    now: int  # the row that is written, from 0
    blocked: int  # words that the row may not look at
    lost: float  # the share that they get without the mask


def masked_attention_info(
    scores: ArrayLike, mask: ArrayLike, words: Sequence[str], written: int
) -> MaskedAttentionInfo:
    """Follow one sentence to a word.

    Args:
        scores: scaled, shape (T, T).
        mask: Boolean, shape (T, T); True = may be looked at.
        words: T of them, pads included.
        written: how many rows there are so far, 1 to T.
    """
    record = masked_attention(scores, mask)
    now = written - 1
    blocked = ~np.asarray(mask, np.bool_)[now]
    columns = np.stack(
        [getattr(record, name)[now] for name in ("scores", "added", "without", "weights")], axis=1
    )
    marks: dict[tuple[int, int], Mark] = {(int(row), 1): "read" for row in np.flatnonzero(blocked)}
    table = number_table(
        f"“{words[now]}” looks at …",
        columns,
        words,
        ("score", "mask adds", "softmax without", "softmax with"),
        marks,
    )
    without, weights = (_grown(matrix, words, written) for matrix in (record.without, record.weights))
    return MaskedAttentionInfo(
        table, (without, weights), now, int(blocked.sum()), float(record.without[now][blocked].sum())
    )


def masked_attention_figure(info: MaskedAttentionInfo, stacked: bool = False) -> go.Figure:
    """Draw both matrices, the row that is written now framed.

    Args:
        info: from `masked_attention_info`.
        stacked: whether one stands above the other, as a phone needs.
    """
    labels = info.panels[0].column_labels
    across = 1 if stacked else 2
    width = column_width(labels, len(labels), across, stacked)
    upright = longest_label(labels) > width
    titles = ("Softmax without the mask", "Softmax with the mask")
    figure, places = panels_figure(
        titles, across, len(labels) * _ROW_HEIGHT, room_for_columns(labels, upright)
    )
    for heatmap, place in zip(info.panels, places, strict=True):
        trace = heatmap_trace(heatmap)
        if width >= longest_line(["0.00"]):
            write_numbers(trace, heatmap, ".2f", theme.TICK_SIZE)
        figure.add_trace(trace, **place)
        label_panel(figure, heatmap, place, upright)
        figure.add_shape(
            type="rect", x0=-0.5, x1=len(labels) - 0.5, y0=info.now - 0.5, y1=info.now + 0.5,
            line={"color": theme.VERMILLION, "width": 3}, **place,
        )  # fmt: skip
    figure.update_layout(coloraxis=color_axis_below((0.0, 1.0)))
    return figure


def _grown(matrix: ArrayLike, words: Sequence[str], written: int) -> HeatmapInfo:
    values = np.array(matrix, np.float64)
    values[written:] = np.nan  # not there yet
    return heatmap_info(
        values, words, words, row_title="looks", column_title="is looked at",
        hover_format="“{row}” gives “{column}” {value:.3f}", color_range=(0.0, 1.0),
    )  # fmt: skip
