"""How much of a model's attention goes to pads, in each layer and head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.figures.cell_numbers import write_numbers
from core.figures.color_bar import color_axis_below
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace, label_axis
from core.records import PaddingOutcome

_ROW_HEIGHT, _TITLE, _AXIS, _COLOR_BAR = 46, 34, 62, 60  # pixels


@dataclass(frozen=True)
class PaddingSharesInfo:
    """The shares of both kinds of attention to the source."""

    encoder: HeatmapInfo  # layers by heads, in percent
    cross: HeatmapInfo
    encoder_mean: float  # over all layers and heads, 0 to 1
    cross_mean: float


def padding_shares_info(outcome: PaddingOutcome) -> PaddingSharesInfo:
    """Name the shares of a reading."""
    encoder, cross = np.array(outcome.encoder_share), np.array(outcome.cross_share)
    return PaddingSharesInfo(_panel(encoder), _panel(cross), float(encoder.mean()), float(cross.mean()))


def padding_shares_figure(info: PaddingSharesInfo, stacked: bool = False) -> go.Figure:
    """Draw both; where `stacked`, one above the other, as a phone needs."""
    panel = len(info.encoder.row_labels) * _ROW_HEIGHT
    inner = 2 * panel + _AXIS + _TITLE if stacked else panel
    figure = make_subplots(
        rows=2 if stacked else 1,
        cols=1 if stacked else 2,
        subplot_titles=("Encoder self-attention", "Cross-attention"),
        horizontal_spacing=0.12,
        vertical_spacing=(_AXIS + _TITLE) / inner if stacked else 0,
    )
    theme.apply_theme(figure, _TITLE + inner + _AXIS + _COLOR_BAR)
    figure.update_annotations(font_size=theme.FONT_SIZE)
    for number, heatmap in enumerate((info.encoder, info.cross)):
        place = {"row": number + 1, "col": 1} if stacked else {"row": 1, "col": number + 1}
        trace = heatmap_trace(heatmap)
        write_numbers(trace, heatmap, ".0f", theme.TICK_SIZE)
        figure.add_trace(trace, **place)
        figure.update_xaxes(**label_axis(heatmap.column_labels), title_text="head", **place)
        figure.update_yaxes(**label_axis(heatmap.row_labels, down=True), title_text="layer", **place)
    figure.update_layout(
        margin_t=_TITLE, margin_b=_AXIS + _COLOR_BAR, coloraxis=color_axis_below((0.0, 100.0))
    )
    return figure


def _panel(shares: np.ndarray) -> HeatmapInfo:
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
