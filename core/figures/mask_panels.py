"""Masks drawn side by side or one below the other, with what their colors mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.figures import theme
from core.figures.heatmap import heatmap_trace
from core.figures.label_fit import MIN_COLUMN, column_width, longest_label, longest_line
from core.figures.masks import TEXTS, MaskInfo
from core.figures.panels import Panel, panel_figures
from core.figures.theme import Figure, Trace

COLORS = (theme.DARK_VERMILLION, theme.BLUE)  # blocked, allowed; white text has enough contrast on both

_ROW, _LINE = 40, 18  # pixels: of a row with one line of text, and of each further line


def mask_figures(infos: Sequence[MaskInfo], across: int = 1) -> tuple[Figure, ...]:
    """Draw masks of one shape.

    Args:
        infos: one or more, with the same labels.
        across: how many stand side by side on a screen.
    """
    rows, columns = infos[0].row_labels, infos[0].column_labels
    if not rows or not columns:
        return (theme.message_figure("There are no words yet", 240),)
    width = column_width(rows, len(columns), across)
    upright = longest_label(columns) > width
    texts = [_fitting_texts(info, width) for info in infos]
    cells = [text for mask in texts for row in mask for text in row]
    needed = max(MIN_COLUMN, longest_line(cells), 0 if upright else longest_label(columns))
    panels = [Panel(info.title, _trace(info, mask), info) for info, mask in zip(infos, texts, strict=True)]
    height = len(rows) * (_ROW + _LINE * max(text.count("\n") for text in cells))
    figures = panel_figures(panels, height, needed, _scale(), upright=upright)
    figures[-1]["data"] += _key()
    figures[-1]["layout"] |= {"showlegend": True, "legend": {"itemclick": False, "itemdoubleclick": False}}
    return figures


def _fitting_texts(info: MaskInfo, width: float) -> tuple[tuple[str, ...], ...]:
    """What fits into cells of a width in pixels."""
    fits = longest_line(text for row in info.texts for text in row) <= width
    return info.texts if fits else info.short_texts


def _trace(info: MaskInfo, texts: tuple[tuple[str, ...], ...]) -> Trace:
    values = [[int(cell) for cell in row] for row in info.allowed]
    written = [[theme.escaped(text).replace("\n", "<br>") for text in row] for row in texts]
    trace = heatmap_trace(values, info.hover, written, gap=2)
    return {**trace, "textfont": {"color": theme.WHITE, "size": theme.TICK_SIZE}}


def _scale() -> dict[str, Any]:
    scale = list(enumerate(COLORS))
    return {"cmin": 0, "cmax": 1, "colorscale": scale, "showscale": False}


def _key() -> list[Trace]:
    """Entries of a legend, which a heatmap by itself cannot have."""
    return [
        {
            "type": "scatter", "x": [None], "y": [None], "mode": "markers", "name": f"{text}: {meaning}",
            "marker": {"color": color, "size": 15, "symbol": "square"},
        }
        for color, text, meaning in zip(COLORS, TEXTS, ("blocked", "allowed"), strict=True)
    ]  # fmt: skip
