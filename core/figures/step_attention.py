"""Where one decoding step looked in the source: layer by token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.figures import theme
from core.figures.color_bar import color_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace, label_axes
from core.figures.label_fit import MIN_COLUMN, panel_width
from core.figures.theme import Figure
from core.records import DecodingStep

_TITLE = 34  # pixels
_AIR = "\N{NO-BREAK SPACE}" * 2


def step_attention_info(step: DecodingStep, source_tokens: Sequence[str], highest: float) -> HeatmapInfo:
    """Cross-attention of a step, the mean over the heads of each layer.

    Args:
        step: of a translation.
        source_tokens: as the model reads them.
        highest: the weight at the end of the color scale.
    """
    means = step.cross.mean(axis=1, dtype=np.float64)  # (L, H, S) -> (L, S)
    return heatmap_info(
        means,
        [f"Layer {number}" for number in range(1, len(means) + 1)],
        source_tokens,
        hover_format="{row}, {column}: {value:.1%}",
        color_range=(0.0, highest),
    )


def step_attention_figure(info: HeatmapInfo, height: int) -> Figure:
    """One row a layer, as high as the figure beside it; the title says what the brightest color is."""
    assert info.color_range is not None
    axes = label_axes(info)
    # Plotly turns labels only where they touch: with air around each, two words side by side do not read as one.
    axes["xaxis"]["ticktext"] = [f"{_AIR}{text}{_AIR}" for text in axes["xaxis"]["ticktext"]]
    layout = {
        "title": {"text": f"Cross-attention weight: 0 dark, {info.color_range[1]:.0%} bright"},
        "margin": {"t": _TITLE, "b": 8},
        "coloraxis": color_axis(info.color_range, "none"),
        "meta": {"min_width": panel_width(info, len(info.column_labels), MIN_COLUMN)},
        **axes,
    }
    return theme.plain_figure([heatmap_trace(info.values, info.hover)], layout, height)


def highest_attention(steps: Sequence[DecodingStep]) -> float:
    """The highest weight in the figures of some steps, so that all can have one scale."""
    return max(float(step.cross.mean(axis=1).max()) for step in steps)
