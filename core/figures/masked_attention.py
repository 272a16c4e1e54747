"""One sentence's scores, and what a softmax makes of them without a mask and with one, as far as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from core.figures import theme
from core.figures.cell_numbers import write_numbers
from core.figures.color_bar import color_axis_below
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace, label_axis
from core.figures.label_fit import column_width, longest_label, longest_line
from core.figures.number_tables import Mark, NumberTable, number_table
from core.theory.masked_attention import masked_attention

_ROW_HEIGHT, _TITLE, _AXIS_TITLE, _COLOR_BAR = 36, 34, 46, 60  # pixels


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
    width = column_width(labels, len(labels), 1 if stacked else 2, stacked)
    upright = longest_label(labels) > width
    below = _AXIS_TITLE + (longest_label(labels) if upright else 16)
    panel = len(labels) * _ROW_HEIGHT
    inner = 2 * panel + below + _TITLE if stacked else panel
    figure = make_subplots(
        rows=2 if stacked else 1,
        cols=1 if stacked else 2,
        subplot_titles=("Softmax without the mask", "Softmax with the mask"),
        horizontal_spacing=0.04,
        vertical_spacing=(below + _TITLE) / inner if stacked else 0,
    )
    theme.apply_theme(figure, _TITLE + inner + below + _COLOR_BAR)
    figure.update_annotations(font_size=theme.FONT_SIZE)
    for number in range(2):
        place = {"row": number + 1, "col": 1} if stacked else {"row": 1, "col": number + 1}
        _add_panel(figure, info, number, width >= longest_line(["0.00"]), place)
    figure.update_xaxes(tickangle=-90 if upright else 0)
    figure.update_layout(margin_t=_TITLE, margin_b=below + _COLOR_BAR, coloraxis=color_axis_below((0.0, 1.0)))
    return figure


def _add_panel(
    figure: go.Figure, info: MaskedAttentionInfo, number: int, numbers: bool, place: dict[str, int]
) -> None:
    """One matrix. The rows are labelled in the first column only: they are the same in both."""
    heatmap = info.panels[number]
    trace = heatmap_trace(heatmap)
    if numbers:
        write_numbers(trace, heatmap, ".2f", theme.TICK_SIZE)
    figure.add_trace(trace, **place)
    figure.update_xaxes(**label_axis(heatmap.column_labels), title_text=heatmap.column_title, **place)
    figure.update_yaxes(
        **label_axis(heatmap.row_labels, down=True),
        title_text=heatmap.row_title if place["col"] == 1 else "",
        showticklabels=place["col"] == 1,
        **place,
    )
    figure.add_shape(
        type="rect", x0=-0.5, x1=len(heatmap.column_labels) - 0.5, y0=info.now - 0.5, y1=info.now + 0.5,
        line={"color": theme.VERMILLION, "width": 3}, **place,
    )  # fmt: skip


def _grown(matrix: ArrayLike, words: Sequence[str], written: int) -> HeatmapInfo:
    values = np.array(matrix, np.float64)
    values[written:] = np.nan  # not there yet
    return heatmap_info(
        values, words, words, row_title="looks", column_title="is looked at",
        hover_format="“{row}” gives “{column}” {value:.3f}", color_range=(0.0, 1.0),
    )  # fmt: skip
