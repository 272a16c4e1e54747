"""One number for each head, layer by layer."""

from __future__ import annotations

from numpy.typing import ArrayLike

from core.figures.cell_numbers import number_texts
from core.figures.heatmap import HeatmapInfo, heatmap_figure, heatmap_info, heatmap_trace
from core.figures.theme import Figure

_MAX_WRITTEN = 100  # heads whose number stands in the cell


def head_map_info(
    values: ArrayLike, name: str, color_range: tuple[float, float] | None = None
) -> HeatmapInfo:
    """Label numbers (L, H); both are counted from 1.

    Args:
        values: NaN where a number means nothing.
        name: of the number.
        color_range: of the colors; None takes it from the values.
    """
    layers, heads = len(values), len(values[0])  # type: ignore[arg-type, index]
    return heatmap_info(
        values,
        [f"Layer {layer}" for layer in range(1, layers + 1)],
        [f"Head {head}" for head in range(1, heads + 1)],
        hover_format=f"{{row}}, {{column}}: {name} {{value:.2f}}",
        color_range=color_range,
    )


def head_map_figure(info: HeatmapInfo, title: str) -> Figure:
    """Draw them, with the numbers in the cells."""
    figure = heatmap_figure(info, title)
    if len(info.row_labels) * len(info.column_labels) > _MAX_WRITTEN:
        return figure
    return {**figure, "data": [heatmap_trace(info.values, info.hover, number_texts(info, ".2f"))]}
