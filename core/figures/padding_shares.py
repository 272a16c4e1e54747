"""How much of a model's attention goes to pads, in each layer and head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures import theme
from core.figures.cell_numbers import write_numbers
from core.figures.color_bar import color_axis_below
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.panels import label_panel, panels_figure, room_for_columns
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


def padding_shares_figure(info: PaddingSharesInfo, stacked: bool = False) -> go.Figure:
    """Draw both; where `stacked`, one above the other, as a phone needs."""
    figure, places = panels_figure(
        ("Encoder self-attention", "Cross-attention"),
        1 if stacked else 2,
        len(info.encoder.row_labels) * _ROW_HEIGHT,
        room_for_columns(info.encoder.column_labels),
    )
    for heatmap, place in zip((info.encoder, info.cross), places, strict=True):
        trace = heatmap_trace(heatmap)
        write_numbers(trace, heatmap, ".0f", theme.TICK_SIZE)
        figure.add_trace(trace, **place)
        label_panel(figure, heatmap, place)
    figure.update_layout(coloraxis=color_axis_below((0.0, 100.0)))
    return figure


def _panel(shares: NDArray[np.float32]) -> HeatmapInfo:
    """In whole percent and what is between, as hover says it."""
    layers, heads = shares.shape
    return heatmap_info(
        100 * shares,
        [str(layer) for layer in range(1, layers + 1)],
        [str(head) for head in range(1, heads + 1)],
        row_title="layer",
        column_title="head",
        hover_format="layer {row}, head {column}: {value:.1f} % of the attention goes to pads",
        color_range=(0.0, 100.0),
    )
