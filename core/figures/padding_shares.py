"""How much of a model's attention goes to padding, in each layer and head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.figures.cell_numbers import number_texts
from core.figures.color_bar import color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.label_fit import longest_line
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure
from core.records import PaddingEffect

_ROW_HEIGHT = 46  # pixels


@dataclass(frozen=True)
class PaddingSharesInfo:
    """The shares of both kinds of attention to the source."""

    encoder: HeatmapInfo  # layers by heads, in percent
    cross: HeatmapInfo
    encoder_mean: float  # over all layers and heads, 0 to 1
    cross_mean: float


def padding_shares_info(effect: PaddingEffect) -> PaddingSharesInfo:
    """Name the shares of a reading."""
    encoder, cross = effect.encoder_share, effect.cross_share
    return PaddingSharesInfo(_panel(encoder), _panel(cross), float(encoder.mean()), float(cross.mean()))


def padding_shares_figures(info: PaddingSharesInfo) -> tuple[Figure, ...]:
    """Draw both."""
    named = (("Encoder self-attention", info.encoder), ("Cross-attention", info.cross))
    panels = [
        Panel(title, heatmap_trace(heatmap.values, heatmap.hover, number_texts(heatmap, ".0f")), heatmap)
        for title, heatmap in named
    ]
    height = len(info.encoder.row_labels) * _ROW_HEIGHT
    colors = color_axis((0.0, 100.0), "below")
    return panel_figures(panels, height, longest_line(["100"]), colors, upright=False)


def _panel(shares: NDArray[np.float32]) -> HeatmapInfo:
    """In whole percent and what is between, as hover says it."""
    layers, heads = shares.shape
    return heatmap_info(
        100 * shares,
        [str(layer) for layer in range(1, layers + 1)],
        [str(head) for head in range(1, heads + 1)],
        row_title="layer",
        column_title="head",
        hover_format="layer {row}, head {column}: {value:.1f}% of the attention goes to padding",
        color_range=(0.0, 100.0),
    )
