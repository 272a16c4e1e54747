"""Masks drawn side by side or one below the other, with what their colours mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.figures.heatmap import label_axis
from core.figures.label_fit import column_width, longest_label, longest_line
from core.figures.masks import TEXTS, Convention, MaskInfo

COLORS = ("#A84700", theme.BLUE)  # blocked, may look; white text has enough contrast on both

_ROW, _NARROW_ROW, _LINE = 40, 32, 18  # pixels: of a row with one line of text, and of each further line
_TITLE, _AXIS_TITLE, _LEGEND = 34, 46, 60  # pixels


def masks_figure(infos: Sequence[MaskInfo], across: int = 1, narrow: bool = False) -> go.Figure:
    """Draw masks of one shape.

    Args:
        infos: one or more, with the same labels.
        across: how many stand side by side; the others go below.
        narrow: whether it is for a phone, where all stand one below the other.
    """
    if not infos[0].row_labels or not infos[0].column_labels:
        return theme.apply_message(theme.apply_theme(go.Figure(), 240), "There are no words yet")
    layout = _Layout(infos, 1 if narrow else across, narrow)
    figure = make_subplots(
        rows=layout.down,
        cols=layout.across,
        subplot_titles=[theme.escaped(info.title) for info in infos],
        horizontal_spacing=0.03,
        vertical_spacing=layout.spacing,
    )
    theme.apply_theme(figure, layout.height)
    figure.update_annotations(font_size=theme.FONT_SIZE)
    for number in range(len(infos)):
        _add_mask(figure, layout, number)
    _explain_colors(figure, infos[-1].convention)
    figure.update_layout(margin_t=layout.top, margin_b=layout.below + _LEGEND)
    return figure


@dataclass(frozen=True)
class _Layout:
    """Where masks stand, and how much room their labels take. All numbers are pixels, but for `spacing`."""

    infos: Sequence[MaskInfo]
    across: int
    narrow: bool

    @property
    def down(self) -> int:
        return math.ceil(len(self.infos) / self.across)

    @property
    def column(self) -> float:
        """Width of a cell."""
        first = self.infos[0]
        return column_width(first.row_labels, len(first.column_labels), self.across, self.narrow)

    @property
    def upright(self) -> bool:
        """Whether column labels would run into each other if they did not stand upright."""
        return longest_label(self.infos[0].column_labels) > self.column

    @property
    def below(self) -> int:
        """What a mask needs for column labels and the title of its axis."""
        return _AXIS_TITLE + (longest_label(self.infos[0].column_labels) if self.upright else 16)

    @property
    def top(self) -> int:
        return _TITLE if self.infos[0].title else theme.MARGIN["b"]

    @property
    def spacing(self) -> float:
        """The gap between two masks as a part of all masks and gaps, which is what Plotly asks for."""
        return (self.below + _TITLE) / self._inner if self.down > 1 else 0.0

    @property
    def height(self) -> int:
        """Of the whole figure."""
        return self.top + self._inner + self.below + _LEGEND

    def texts(self, number: int) -> tuple[tuple[str, ...], ...]:
        """What fits into the cells of a mask."""
        info = self.infos[number]
        fits = longest_line(text for row in info.texts for text in row) <= self.column
        return info.texts if fits else info.short_texts

    @property
    def _inner(self) -> int:
        lines = max(text.count("\n") for n in range(len(self.infos)) for row in self.texts(n) for text in row)
        row = (_NARROW_ROW if self.narrow else _ROW) + _LINE * lines
        mask = len(self.infos[0].row_labels) * row
        return self.down * mask + (self.down - 1) * (self.below + _TITLE)


def _add_mask(figure: go.Figure, layout: _Layout, number: int) -> None:
    """One mask. The rows are labelled in the first column only: they are the same in all."""
    info = layout.infos[number]
    place = {"row": number // layout.across + 1, "col": number % layout.across + 1}
    figure.add_trace(_mask_trace(info, layout.texts(number)), **place)
    figure.update_xaxes(
        **{**label_axis(info.column_labels), "tickangle": -90 if layout.upright else 0},
        title_text=theme.escaped(info.column_title),
        **place,
    )
    figure.update_yaxes(
        **label_axis(info.row_labels, down=True),
        title_text=theme.escaped(info.row_title) if place["col"] == 1 else "",
        showticklabels=place["col"] == 1,
        **place,
    )


def _mask_trace(info: MaskInfo, texts: tuple[tuple[str, ...], ...]) -> go.Heatmap:
    return go.Heatmap(
        z=[[int(cell) for cell in row] for row in info.allowed],
        zmin=0,
        zmax=1,
        colorscale=[[0, COLORS[0]], [1, COLORS[1]]],
        showscale=False,
        text=[[theme.escaped(text).replace("\n", "<br>") for text in row] for row in texts],
        texttemplate="%{text}",
        textfont={"color": "#FFFFFF", "size": theme.TICK_SIZE},
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
