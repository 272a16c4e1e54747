"""Where each token looked: one attention head large, or all heads of a layer side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.figures.heatmap import (
    MAX_TICKS,
    HeatmapInfo,
    color_axis,
    heatmap_figure,
    heatmap_info,
    heatmap_trace,
    label_axis,
)
from core.records import AttentionRecord

AttentionKind = Literal["encoder", "decoder", "cross"]

MOST_COLUMNS = 4

_NAMES = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
    "cross": "Cross-attention",
}
_ROW_TITLES = {"encoder": "source token", "decoder": "decoder-input token", "cross": "predicted token"}
_COLUMN_TITLES = {"encoder": "source token", "decoder": "decoder-input token", "cross": "source token"}

_PANEL_TICKS = 16  # labels along one axis of a small panel
_PANEL_HEIGHT = 240  # pixels, of a small panel without its labels, unless its rows need more
_PANEL_ROW_HEIGHT = 6  # pixels, the least of a row
_TALLEST_PANEL = 480  # pixels
_PANEL_TITLE_HEIGHT = 36  # pixels, with the space above it


@dataclass(frozen=True)
class AttentionHeadInfo:
    """The weights of one head, or the mean over the heads of a layer."""

    kind: AttentionKind
    layer: int  # from 0
    head: int | None  # from 0; None = mean over the heads
    heatmap: HeatmapInfo  # row: the token that looks; column: the token looked at

    @property
    def title(self) -> str:
        """What the figure shows, in people's counting, which begins at 1."""
        head = "mean of all heads" if self.head is None else f"head {self.head + 1}"
        return f"{_NAMES[self.kind]}, layer {self.layer + 1}, {head}"


def attention_info(
    record: AttentionRecord, kind: AttentionKind, layer: int, head: int | None = None
) -> AttentionHeadInfo:
    """Pick one head of a record and put words to its weights.

    In the encoder, source tokens look at source tokens; in the decoder, decoder-input tokens look at
    decoder-input tokens up to themselves (the future stays blank, for it cannot be looked at); in
    cross-attention, the step that predicts a token looks at source tokens.

    Args:
        record: attention of all layers and heads over one sentence pair.
        kind: which of the three attentions of section 3.2.3.
        layer: from 0.
        head: from 0, or None for the mean over the heads.

    Returns:
        The info.

    Raises:
        ValueError: the record has no such kind, layer or head.
    """
    _check(record, kind, layer, head)
    all_heads = getattr(record, kind)[layer].astype(np.float64)  # (H, rows, columns)
    weights = all_heads.mean(axis=0) if head is None else all_heads[head]
    if kind == "decoder":
        weights = np.where(np.tri(len(weights), dtype=np.bool_), weights, np.nan)
    rows, columns = _tokens(record, kind)
    heatmap = heatmap_info(
        weights,
        rows,
        columns,
        row_title=_ROW_TITLES[kind],
        column_title=f"{_COLUMN_TITLES[kind]} looked at",
        hover_format="“{row}” looked at “{column}”: {value:.2f}",
    )
    return AttentionHeadInfo(kind, layer, head, heatmap)


def attention_figure(
    info: AttentionHeadInfo, fixed_scale: bool = True, most_columns: int = MAX_TICKS
) -> go.Figure:
    """Draw one head large.

    Args:
        info: from `attention_info`.
        fixed_scale: whether the colours run from 0 to 1, so that figures can be compared, or from 0
            to the highest weight shown, so that faint patterns can be seen.
        most_columns: the most columns to label; a phone has room for few.

    Returns:
        The figure.
    """
    figure = heatmap_figure(info.heatmap, info.title, most_columns)
    # The small title leaves room for the longest one on a phone.
    figure.update_layout(title_font_size=theme.FONT_SIZE, coloraxis=_weights_axis([info], fixed_scale))
    return figure


def attention_heads_figure(
    record: AttentionRecord,
    kind: AttentionKind,
    layer: int,
    fixed_scale: bool = True,
    columns: int = MOST_COLUMNS,
) -> go.Figure:
    """Draw all heads of a layer side by side, with one colour scale for all of them.

    Args:
        record: attention of all layers and heads over one sentence pair.
        kind: which of the three attentions of section 3.2.3.
        layer: from 0.
        fixed_scale: see `attention_figure`; "highest" is over all heads here.
        columns: the most panels beside each other, 1 to 4; a phone has room for 1 or 2.

    Returns:
        The figure.

    Raises:
        ValueError: the record has no such kind or layer, or `columns` is out of its range.
    """
    if not 1 <= columns <= MOST_COLUMNS:
        raise ValueError(f"columns must be from 1 to {MOST_COLUMNS}. Received: {columns}")
    _check(record, kind, layer, head=None)
    infos = [attention_info(record, kind, layer, head) for head in range(getattr(record, kind).shape[1])]
    labels = infos[0].heatmap
    panel_height = min(max(_PANEL_HEIGHT, len(labels.row_labels) * _PANEL_ROW_HEIGHT), _TALLEST_PANEL)
    grid = _Grid(len(infos), min(columns, len(infos)), labels.column_labels, panel_height)
    figure = make_subplots(
        rows=grid.rows,
        cols=grid.columns,
        subplot_titles=[f"Head {number}" for number in range(1, len(infos) + 1)],
        horizontal_spacing=0.03 if grid.columns > 1 else 0,
        vertical_spacing=grid.vertical_spacing,
    )
    theme.apply_theme(figure, grid.height)
    figure.update_annotations(font_size=theme.FONT_SIZE)
    figure.update_layout(
        title={"text": f"{_NAMES[kind]}, layer {layer + 1}", "font_size": theme.FONT_SIZE},
        margin_t=grid.top,
        coloraxis=_weights_axis(infos, fixed_scale),
    )
    for index, info in enumerate(infos):
        _add_panel(figure, grid, index, info.heatmap)
    return figure


@dataclass(frozen=True)
class _Grid:
    """Where small panels stand and how high the figure must be so that their labels have room."""

    panels: int
    columns: int
    labels: tuple[str, ...]  # below each panel
    panel_height: int  # pixels, without the labels

    @property
    def rows(self) -> int:
        return math.ceil(self.panels / self.columns)

    @property
    def top(self) -> int:
        """Pixels above the first row: the title of the figure and those of the panels."""
        return theme.MARGIN["t"] + _PANEL_TITLE_HEIGHT

    @property
    def height(self) -> int:
        """Pixels of the whole figure."""
        return self.top + self._inner_height + self._labels_height + theme.MARGIN["b"]

    @property
    def vertical_spacing(self) -> float:
        """The gap between two rows as a part of all rows and gaps, which is what Plotly asks for."""
        return self._gap / self._inner_height if self.rows > 1 else 0.0

    @property
    def _inner_height(self) -> int:
        return self.rows * self.panel_height + (self.rows - 1) * self._gap

    @property
    def _gap(self) -> int:
        return self._labels_height + _PANEL_TITLE_HEIGHT

    @property
    def _labels_height(self) -> int:
        """Pixels of the upright labels below a panel; a letter is a little over half as wide as high."""
        longest = max((len(theme.shortened(label)) for label in self.labels), default=0)
        return 10 + math.ceil(longest * theme.TICK_SIZE * 0.56)


def _add_panel(figure: go.Figure, grid: _Grid, index: int, heatmap: HeatmapInfo) -> None:
    """One head. The rows are labelled in the first column only: they are the same in all."""
    place = {"row": index // grid.columns + 1, "col": index % grid.columns + 1}
    figure.add_trace(heatmap_trace(heatmap), **place)
    figure.update_xaxes(**label_axis(heatmap.column_labels, most=_PANEL_TICKS), tickangle=-90, **place)
    figure.update_yaxes(
        **label_axis(heatmap.row_labels, down=True, most=_PANEL_TICKS),
        showticklabels=place["col"] == 1,
        **place,
    )


def _weights_axis(infos: list[AttentionHeadInfo], fixed_scale: bool) -> dict:
    """The colours from 0 to 1, or to the highest weight of all infos; never from a lowest above 0."""
    weights = [value for info in infos for row in info.heatmap.values for value in row if value is not None]
    return color_axis((0.0, 1.0 if fixed_scale else max(weights, default=1.0)))


def _tokens(record: AttentionRecord, kind: AttentionKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens that look (rows) and those looked at (columns)."""
    if kind == "encoder":
        return record.source_tokens, record.source_tokens
    if kind == "decoder":
        return record.decoder_input_tokens, record.decoder_input_tokens
    return record.predicted_tokens, record.source_tokens


def _check(record: AttentionRecord, kind: str, layer: int, head: int | None) -> None:
    kinds = get_args(AttentionKind)
    if kind not in kinds:
        raise ValueError(f"kind must be one of {', '.join(kinds)}. Received: {kind!r:.80}")
    layers, heads = getattr(record, kind).shape[:2]
    if not 0 <= layer < layers:
        raise ValueError(f"layer must be from 0 to {layers - 1}. Received: {layer}")
    if head is not None and not 0 <= head < heads:
        raise ValueError(f"head must be from 0 to {heads - 1}, or None for their mean. Received: {head}")
