"""Where a difference between two sentences lives: layer × position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.figures.cell_numbers import signed_texts
from core.figures.color_bar import signed_axis
from core.figures.heatmap import HeatmapInfo, heatmap_info, heatmap_trace
from core.figures.label_fit import longest_line
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure

_ROW_HEIGHT = 44  # pixels
_MAX_WITH_NUMBERS = 14  # columns


@dataclass(frozen=True)
class PatchingInfo:
    """How much of the difference each state brings over, in percent."""

    encoder: HeatmapInfo  # rows: places of the stack, the output on top
    decoder: HeatmapInfo


def patching_info(
    encoder: NDArray[np.float32],
    decoder: NDArray[np.float32],
    source_tokens: Sequence[str],
    other_tokens: Sequence[str],
    prefix_tokens: Sequence[str],
) -> PatchingInfo:
    """Label a map.

    Args:
        encoder: (L + 1, S), 0 nothing to 1 all.
        decoder: (L + 1, P)
        source_tokens: of the sentence that is patched.
        other_tokens: of the sentence that the states come from.
        prefix_tokens: the decoder's input so far.
    """
    columns = [
        mine if mine == theirs else f"{mine}→{theirs}"
        for mine, theirs in zip(source_tokens, other_tokens, strict=True)
    ]
    return PatchingInfo(
        _panel(encoder, columns, "source token"), _panel(decoder, prefix_tokens, "decoder-input token")
    )


def patching_figures(info: PatchingInfo) -> tuple[Figure, ...]:
    """Draw encoder and decoder."""
    panels = []
    for title, heatmap in (("Encoder states", info.encoder), ("Decoder states", info.decoder)):
        few = len(heatmap.column_labels) <= _MAX_WITH_NUMBERS
        texts = signed_texts(heatmap, ".0f") if few else ()
        panels.append(Panel(title, heatmap_trace(heatmap.values, heatmap.hover, texts), heatmap))
    height = len(info.encoder.row_labels) * _ROW_HEIGHT
    return panel_figures(panels, height, longest_line(["100"]), signed_axis(100.0), upright=True)


def _panel(recovered: NDArray[np.float32], columns: Sequence[str], title: str) -> HeatmapInfo:
    layers = len(recovered) - 1
    rows = ["embedding", *(f"layer {layer}" for layer in range(1, layers + 1))]
    return heatmap_info(
        100 * recovered[::-1],
        rows[::-1],
        columns,
        column_title=title,
        hover_format="{row}, “{column}”: brings over {value:z.1f}% of the difference",
        color_range=(-100.0, 100.0),
    )
