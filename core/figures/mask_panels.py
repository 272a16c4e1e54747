"""Masks drawn side by side or one below the other, with what their colours mean."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from core.figures import theme
from core.figures.label_fit import column_width, longest_label, longest_line
from core.figures.masks import TEXTS, Convention, MaskInfo
from core.figures.panels import label_panel, panels_figure, room_for_columns

COLORS = (theme.DARK_VERMILLION, theme.BLUE)  # blocked, may look; white text has enough contrast on both

_ROW, _NARROW_ROW, _LINE = 40, 32, 18  # pixels: of a row with one line of text, and of each further line


def masks_figure(infos: Sequence[MaskInfo], across: int = 1, narrow: bool = False) -> go.Figure:
    """Draw masks of one shape.

    Args:
        infos: one or more, with the same labels.
        across: how many stand side by side; the others go below.
        narrow: whether it is for a phone, where all stand one below the other.
    """
    rows, columns = infos[0].row_labels, infos[0].column_labels
    if not rows or not columns:
        return theme.apply_message(theme.apply_theme(go.Figure(), 240), "There are no words yet")
    across = 1 if narrow else across
    width = column_width(rows, len(columns), across, narrow)
    upright = longest_label(columns) > width
    texts = [_fitting_texts(info, width) for info in infos]
    lines = max(text.count("\n") for mask in texts for row in mask for text in row)
    height = len(rows) * ((_NARROW_ROW if narrow else _ROW) + _LINE * lines)
    titles = [info.title for info in infos]
    figure, places = panels_figure(titles, across, height, room_for_columns(columns, upright))
    for info, cells, place in zip(infos, texts, places, strict=True):
        figure.add_trace(_mask_trace(info, cells), **place)
        label_panel(figure, info, place, upright)
    _explain_colors(figure, infos[-1].convention)
    return figure


def _fitting_texts(info: MaskInfo, width: float) -> tuple[tuple[str, ...], ...]:
    """What fits into cells of a width in pixels."""
    fits = longest_line(text for row in info.texts for text in row) <= width
    return info.texts if fits else info.short_texts


def _mask_trace(info: MaskInfo, texts: tuple[tuple[str, ...], ...]) -> go.Heatmap:
    return go.Heatmap(
        z=[[int(cell) for cell in row] for row in info.allowed],
        zmin=0,
        zmax=1,
        colorscale=[[0, COLORS[0]], [1, COLORS[1]]],
        showscale=False,
        text=[[theme.escaped(text).replace("\n", "<br>") for text in row] for row in texts],
        texttemplate="%{text}",
        textfont={"color": theme.WHITE, "size": theme.TICK_SIZE},
        customdata=[[theme.escaped(text) for text in row] for row in info.hover],
        hovertemplate="%{customdata}<extra></extra>",
        xgap=2,
        ygap=2,
    )


def _explain_colors(figure: go.Figure, convention: Convention) -> None:
    """A legend, which a heatmap by itself cannot have."""
    for color, text, meaning in zip(COLORS, TEXTS[convention], ("blocked", "may look"), strict=True):
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name=f"{text}: {meaning}",
            marker={"color": color, "size": 15, "symbol": "square"},
        )  # fmt: skip
    legend = {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"}
    figure.update_layout(showlegend=True, legend={**legend, "itemclick": False, "itemdoubleclick": False})
