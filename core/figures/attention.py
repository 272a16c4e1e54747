"""Where each token looked: one attention head large, or all heads of a layer side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from core.figures.color_bar import color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_figure, heatmap_info, heatmap_trace
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure
from core.records import AttentionRecord

AttentionKind = Literal["encoder", "decoder", "cross"]

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
_MAX_PANEL_HEIGHT = 480  # pixels
_PANEL_COLUMN = 10  # pixels, the least of a column


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
        return f"{layer_title(self.kind, self.layer)}, {head}"


def layer_title(kind: AttentionKind, layer: int) -> str:
    """A layer's attention in words; `layer` is from 0."""
    return f"{_NAMES[kind]}, layer {layer + 1}"


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


def attention_figure(info: AttentionHeadInfo, fixed_scale: bool = True) -> Figure:
    """Draw one head large.

    Args:
        info: from `attention_info`.
        fixed_scale: whether the colors run from 0 to 1, so that figures can be compared, or from 0
            to the highest weight shown, so that faint patterns can be seen.

    Returns:
        The figure.
    """
    shown = replace(info.heatmap, color_range=_color_range([info], fixed_scale))
    return heatmap_figure(shown, info.title)


def attention_heads_figures(
    record: AttentionRecord, kind: AttentionKind, layer: int, fixed_scale: bool = True
) -> tuple[Figure, ...]:
    """Draw all heads of a layer, one figure each, with one color scale for all of them.

    Args:
        record: attention of all layers and heads over one sentence pair.
        kind: which of the three attentions of section 3.2.3.
        layer: from 0.
        fixed_scale: see `attention_figure`; "highest" is over all heads here.

    Raises:
        ValueError: the record has no such kind or layer.
    """
    _check(record, kind, layer, head=None)
    infos = [attention_info(record, kind, layer, head) for head in range(getattr(record, kind).shape[1])]
    # Small panels have no room for what rows and columns are; the page says it.
    labels = replace(infos[0].heatmap, row_title="", column_title="")
    panels = [
        Panel(f"Head {number}", heatmap_trace(info.heatmap.values, info.heatmap.hover), labels)
        for number, info in enumerate(infos, start=1)
    ]
    rows = len(labels.row_labels)
    height = min(max(_PANEL_HEIGHT, rows * _PANEL_ROW_HEIGHT), _MAX_PANEL_HEIGHT)
    colors = color_axis(_color_range(infos, fixed_scale), "below")
    return panel_figures(panels, height, _PANEL_COLUMN, colors, upright=True, most_ticks=_PANEL_TICKS)


def _color_range(infos: Sequence[AttentionHeadInfo], fixed_scale: bool) -> tuple[float, float]:
    """From 0 to 1, or to the highest weight of all infos; never from a lowest above 0."""
    weights = [value for info in infos for row in info.heatmap.values for value in row if value is not None]
    return (0.0, 1.0 if fixed_scale else max(weights, default=1.0))


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
