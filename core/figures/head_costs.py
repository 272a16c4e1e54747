"""What the loss of each head costs, as a layer × head map of each kind of attention."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.cell_numbers import is_pale, signed_texts
from core.figures.color_bar import signed_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.label_fit import longest_line
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure

Cell = tuple[str, int, int]  # kind, layer and head from 0

TITLES = {"encoder": "Encoder", "decoder": "Decoder", "cross": "Cross-attention"}

_ROW_HEIGHT = 30  # pixels
_LEAST = 1e-3  # nats: with all costs below it, colors stay pale


@dataclass(frozen=True)
class HeadCostsInfo:
    """A map for each kind of attention, on one scale."""

    panels: Mapping[str, HeatmapInfo]  # by kind; layers by heads, nats a token
    highest: float  # of all, without a sign
    marks: Mapping[str, tuple[tuple[str, ...], ...]]  # in front of the numbers, in their shape


def head_costs_info(costs: NDArray[np.float32], off: Collection[Cell] = ()) -> HeadCostsInfo:
    """Label costs.

    Args:
        costs: (3, L, H), nats a token; encoder, decoder, cross.
        off: heads that are switched off now.
    """
    highest = max(_LEAST, float(np.abs(costs).max()))
    panels, marks = {}, {}
    for kind, values in zip(TITLES, costs, strict=True):
        layers, heads = values.shape
        panels[kind] = heatmap_info(
            values,
            [str(layer + 1) for layer in range(layers)],
            [str(head + 1) for head in range(heads)],
            row_title="layer",
            column_title="head",
            hover_format=f"{TITLES[kind]}, layer {{row}}, head {{column}}: "
            "without it log P falls by {value:z.3f} nats per token",
            color_range=(-highest, highest),
        )
        marks[kind] = tuple(
            tuple("✕ " if (kind, layer, head) in off else "" for head in range(heads))
            for layer in range(layers)
        )
    return HeadCostsInfo(panels, highest, marks)


def head_costs_figures(info: HeadCostsInfo) -> tuple[Figure, ...]:
    """Draw the three maps."""
    panels = []
    for kind, heatmap in info.panels.items():
        texts = [
            [f"{mark}{text}" for mark, text in zip(*row, strict=True)]
            for row in zip(info.marks[kind], signed_texts(heatmap, ".2f"), strict=True)
        ]
        panels.append(Panel(TITLES[kind], heatmap_trace(heatmap.values, heatmap.hover, texts), heatmap))
    height = len(panels[0].labels.row_labels) * _ROW_HEIGHT
    column = longest_line(["-0.00"])
    return panel_figures(panels, height, column, signed_axis(info.highest), upright=False)


class CellColor(NamedTuple):
    """Of a cell outside of a figure, as CSS has them."""

    background: str
    text: str


def head_colors(costs: NDArray[np.float32]) -> list[list[CellColor]]:
    """The figure's colors of costs (3, L, H), for what else shows them: a list of L * H for each kind."""
    highest = max(_LEAST, float(np.abs(costs).max()))
    return [[_color(float(cost) / highest) for cost in kind.ravel()] for kind in costs]


def _color(share: float) -> CellColor:
    """Between the colors of the scale; `share` from -1 to 1."""
    ends = [np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) for _, color in theme.SIGNED_SCALE]
    mixed = ends[1] + abs(share) * (ends[2 if share > 0 else 0] - ends[1])
    red, green, blue = (round(float(part)) for part in mixed)
    return CellColor(f"rgb({red}, {green}, {blue})", theme.BLACK if is_pale(share) else theme.WHITE)
