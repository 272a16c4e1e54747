"""Positional encodings: as a heatmap, as single waves, as dot products, and in two orders of channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.subplots import make_subplots

from core.figures import theme
from core.figures.color_bar import signed_axis
from core.theory.positional_encoding import concatenated_order, dot_products, wave, wavelengths

MOST_CELLS = 128  # along each side of a heatmap; of more, neighbours share a cell
CLOSE_UP = 32  # positions and channels that are shown one by one
WAVE_POSITIONS = 200  # shown of each wave
ZOOM = 50  # positions on either side of the one whose dot products are shown

_WAVE_HEIGHT, _MARGINS_HEIGHT = 120, 90  # pixels
_WAVE_POINTS = 1200  # of a curve
_MOST_DOTS = 64  # positions that are marked on a curve
_MOST_NAMED = 16  # channels with a name of their own


@dataclass(frozen=True, eq=False)
class EncodingPanel:
    """One heatmap: rows are positions, columns channels."""

    values: NDArray[np.float32]  # (rows, columns)
    positions_a_cell: int = 1  # of which each value is the mean
    channels_a_cell: int = 1


@dataclass(frozen=True, eq=False)
class EncodingInfo:
    """All of an encoding, and its first corner one by one where all of it is too much for that."""

    whole: EncodingPanel
    close: EncodingPanel | None
    highest: float  # of all absolute values; the ends of the colour scale


def encoding_info(encoding: ArrayLike) -> EncodingInfo:
    """Arrange an encoding for looking at.

    A screen cannot show each of 2048 positions: there, a cell is the mean of its neighbours, as the eye
    would have it from afar. Leaving out all but every tenth would show waves that are not there.

    Args:
        encoding: shape (length, D).
    """
    values = np.asarray(encoding, dtype=np.float32)
    rows, columns = (max(1, -(-size // MOST_CELLS)) for size in values.shape)
    whole = EncodingPanel(_block_means(values, rows, columns), rows, columns)
    small = max(values.shape) <= 2 * CLOSE_UP  # close enough already
    close = None if small else EncodingPanel(values[:CLOSE_UP, :CLOSE_UP])
    return EncodingInfo(whole, close, float(np.abs(values).max(initial=0.0)))


def encoding_figure(info: EncodingInfo, stacked: bool = False) -> go.Figure:
    """Draw all of it from afar and the first corner close up.

    Args:
        info: from `encoding_info`.
        stacked: whether one panel stands above the other, as a phone needs.
    """
    panels = [panel for panel in (info.whole, info.close) if panel is not None]
    if not info.whole.values.size:
        return theme.apply_message(theme.apply_theme(go.Figure()), "Nothing to show yet")
    across = 1 if stacked else len(panels)
    down = len(panels) if stacked else 1
    titles = _panel_titles(info)
    figure = make_subplots(
        rows=down, cols=across, subplot_titles=titles, horizontal_spacing=0.12, vertical_spacing=0.2
    )
    theme.apply_theme(figure, 500 if down == 1 else 840)
    for number, panel in enumerate(panels):
        row, column = (number + 1, 1) if stacked else (1, number + 1)
        figure.add_trace(_encoding_trace(panel), row=row, col=column)
        figure.update_xaxes(title_text="channel", showgrid=False, nticks=8, row=row, col=column)
        figure.update_yaxes(
            title_text="position", autorange="reversed", showgrid=False, nticks=9, row=row, col=column
        )
    figure.update_annotations(font_size=theme.FONT_SIZE)
    figure.update_layout(margin_b=110 if stacked else theme.MARGIN["b"])
    figure.update_layout(coloraxis=signed_axis(info.highest or 1.0, below=stacked))
    return figure


@dataclass(frozen=True)
class Wave:
    """One channel over the positions."""

    channel: int
    kind: str  # "sine" or "cosine"
    wavelength: float  # positions
    x: tuple[float, ...]  # of the smooth curve
    y: tuple[float, ...]
    positions: tuple[int, ...]  # whole ones, where the encoding reads the curve
    values: tuple[float, ...]

    @property
    def title(self) -> str:
        """The channel and its wavelength, in words."""
        wavelength = f"{self.wavelength:,.1f}" if self.wavelength < 1000 else f"{self.wavelength:,.0f}"
        return f"Channel {self.channel}: {self.kind}, one wave is {wavelength} positions long"


@dataclass(frozen=True)
class WavesInfo:
    """Some channels, each as a curve."""

    waves: tuple[Wave, ...]
    last: int  # position shown


def waves_info(channels: Sequence[int], length: int, d_model: int) -> WavesInfo:
    """Read some channels over the first positions.

    Args:
        channels: each from 0 to D - 1.
        length: of the encoding; at most WAVE_POSITIONS of it are shown.
        d_model: width D.
    """
    shown = max(1, min(length, WAVE_POSITIONS))
    smooth = np.linspace(0, shown - 1, _WAVE_POINTS if shown > 1 else 1)
    whole = np.arange(shown if shown <= _MOST_DOTS else 0)
    lengths = wavelengths(d_model)
    waves = tuple(
        Wave(
            channel,
            "cosine" if channel % 2 else "sine",
            float(lengths[channel]),
            tuple(smooth.tolist()),
            tuple(wave(smooth, channel, d_model).tolist()),
            tuple(whole.tolist()),
            tuple(wave(whole, channel, d_model).tolist()),
        )
        for channel in channels
    )
    return WavesInfo(waves, shown - 1)


def waves_figure(info: WavesInfo) -> go.Figure:
    """Draw one panel for each channel, on one axis of positions."""
    if not info.waves:
        return theme.apply_message(theme.apply_theme(go.Figure(), 240), "Choose a channel")
    count = len(info.waves)
    height = _MARGINS_HEIGHT + _WAVE_HEIGHT * count
    figure = make_subplots(
        rows=count,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=min(0.2, 34 / height),
        subplot_titles=[each.title for each in info.waves],
    )
    theme.apply_theme(figure, height)
    for row, each in enumerate(info.waves, start=1):
        color = _color(each.channel)
        hover = f"position %{{x:.1f}}: %{{y:.3f}}<extra>channel {each.channel}</extra>"
        figure.add_scatter(
            x=each.x, y=each.y, line_color=color, line_width=2.5, hovertemplate=hover, row=row, col=1
        )
        figure.add_scatter(
            x=each.positions, y=each.values, mode="markers", marker_color=color, marker_size=7,
            hovertemplate=hover, row=row, col=1,
        )  # fmt: skip
    figure.update_annotations(x=0, xanchor="left", font_size=theme.FONT_SIZE)
    figure.update_layout(showlegend=False)
    figure.update_yaxes(range=[-1.15, 1.15], tickvals=[-1, 0, 1])
    figure.update_xaxes(range=[-0.01 * max(info.last, 1), 1.01 * max(info.last, 1)], nticks=11)
    figure.update_xaxes(title_text="position", row=count, col=1)
    return figure


@dataclass(frozen=True)
class DotProductsInfo:
    """One position's dot products with all."""

    position: int
    products: tuple[float, ...]  # with every position
    peak: int  # the position with the highest
    zoom: tuple[int, int]  # first and last position of the close-up

    @property
    def highest(self) -> float:
        """The dot product at the peak."""
        return self.products[self.peak]

    @property
    def comes_back(self) -> bool:
        """Whether some position farther away is more like this one than its neighbours are."""
        neighbours = self.products[max(0, self.position - 1) : self.position + 2]
        farther = self.products[: max(0, self.position - 1)] + self.products[self.position + 2 :]
        return max(farther, default=-math.inf) >= min(neighbours)


def dot_products_info(encoding: ArrayLike, position: int) -> DotProductsInfo:
    """Compare one position with all.

    Args:
        encoding: shape (length, D); length is 1 or more.
        position: a row of it.
    """
    # float32 sines would let a neighbour win by rounding alone.
    products = dot_products(encoding, position).round(4)
    peak = position if products[position] >= products.max() else int(products.argmax())
    last = len(products) - 1
    zoom = (max(0, position - ZOOM), min(last, position + ZOOM))
    return DotProductsInfo(position, tuple(products.tolist()), peak, zoom)


def dot_products_figure(info: DotProductsInfo) -> go.Figure:
    """Draw the whole range above, the neighbourhood of the position below, the peak marked in both."""
    first, last = info.zoom
    titles = [f"All {len(info.products):,} positions", f"Zoomed: positions {first:,} to {last:,}"]
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.17, subplot_titles=titles)
    theme.apply_theme(figure, 600)
    for row, (start, end) in enumerate([(0, len(info.products) - 1), info.zoom], start=1):
        positions = list(range(start, end + 1))
        few = len(positions) <= 2 * ZOOM + 1
        figure.add_scatter(
            x=positions, y=info.products[start : end + 1], mode="lines+markers" if few else "lines",
            line_color=theme.BLUE, line_width=2, marker_size=6,
            hovertemplate="position %{x}: %{y:.2f}<extra></extra>", row=row, col=1,
        )  # fmt: skip
        if start <= info.peak <= end:
            _mark_peak(figure, info, row, right=info.peak > (start + end) / 2)
    figure.update_annotations(selector={"showarrow": False}, font_size=theme.FONT_SIZE)
    low, high = min(info.products), max(info.products)
    room = 0.08 * (high - low) or 1.0
    figure.update_yaxes(title_text="dot product", range=[low - room, high + 2 * room], nticks=6)
    figure.update_xaxes(tickformat=",d", nticks=6, title_text="position", row=2, col=1)
    figure.update_xaxes(tickformat=",d", nticks=6, row=1, col=1)
    figure.update_layout(showlegend=False)
    return figure


@dataclass(frozen=True)
class ChannelOrderInfo:
    """Where each of the paper's channels goes when all sines come first."""

    places: tuple[int, ...]  # by channel
    names: tuple[str, ...]  # by channel: "sin 0", "cos 0", "sin 1"


def channel_order_info(d_model: int) -> ChannelOrderInfo:
    """Follow every channel from the interleaved order into the concatenated one."""
    places = np.argsort(concatenated_order(d_model))
    names = tuple(f"{'cos' if channel % 2 else 'sin'} {channel // 2}" for channel in range(d_model))
    return ChannelOrderInfo(tuple(places.tolist()), names)


def channel_order_figure(info: ChannelOrderInfo) -> go.Figure:
    """Draw a line for each channel, from its place above to its place below."""
    count = len(info.places)
    figure = theme.apply_theme(go.Figure(), 300)
    for kind, name in ((0, "sines"), (1, "cosines")):
        channels = range(kind, count, 2)
        x = [value for channel in channels for value in (channel, info.places[channel], None)]
        figure.add_scatter(
            x=x, y=[1, 0, None] * len(channels), name=name, mode="lines+markers",
            line={"color": _color(kind), "width": 2 if count <= 64 else 0.7},
            marker_size=9 if count <= 64 else 2, hoverinfo="skip",
        )  # fmt: skip
    figure.update_yaxes(
        tickvals=[1, 0], ticktext=["interleaved", "concatenated"], range=[-0.3, 1.3], showgrid=False
    )
    few = count <= _MOST_NAMED
    figure.update_xaxes(
        title_text="channels as the paper has them" if few else "place of the channel",
        showgrid=False,
        nticks=9,
    )
    if few:
        figure.update_xaxes(tickvals=list(range(count)), ticktext=info.names, side="top")
    figure.update_layout(
        margin_b=64, legend={"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"}
    )
    return figure


def _block_means(values: NDArray[np.float32], rows: int, columns: int) -> NDArray[np.float32]:
    """Means over blocks of (rows, columns); the last ones may be smaller."""
    if rows == columns == 1 or not values.size:
        return values
    row_starts = np.arange(0, values.shape[0], rows)
    column_starts = np.arange(0, values.shape[1], columns)
    sums = np.add.reduceat(np.add.reduceat(values, row_starts, axis=0), column_starts, axis=1)
    heights = np.diff([*row_starts, values.shape[0]])
    widths = np.diff([*column_starts, values.shape[1]])
    return (sums / (heights[:, np.newaxis] * widths)).astype(np.float32)


def _panel_titles(info: EncodingInfo) -> list[str]:
    """Above the two panels; one alone needs none."""
    if info.close is None:
        return []
    rows, columns = info.close.values.shape
    return ["All of it", f"Close up: {rows} positions, {columns} channel{'s' if columns > 1 else ''}"]


def _encoding_trace(panel: EncodingPanel) -> go.Heatmap:
    down, across = panel.positions_a_cell, panel.channels_a_cell
    alone = down == across == 1
    return go.Heatmap(
        z=panel.values,
        # The middle of a cell's neighbours, so that the axes count positions and channels, not cells.
        x0=(across - 1) / 2,
        dx=across,
        y0=(down - 1) / 2,
        dy=down,
        coloraxis="coloraxis",
        hovertemplate="position %{y:.0f}, channel %{x:.0f}: %{z:.3f}<extra></extra>"
        if alone
        else "around position %{y:.0f}, channel %{x:.0f}: mean %{z:.2f}<extra></extra>",
    )


def _mark_peak(figure: go.Figure, info: DotProductsInfo, row: int, right: bool) -> None:
    figure.add_scatter(
        x=[info.peak], y=[info.highest], mode="markers", marker_color=theme.VERMILLION, marker_size=12,
        hoverinfo="skip", row=row, col=1,
    )  # fmt: skip
    figure.add_annotation(
        text=f"position {info.peak:,}: <b>{info.highest:,.1f}</b>", x=info.peak, y=info.highest,
        xanchor="right" if right else "left", xshift=-12 if right else 12, yshift=6, showarrow=False,
        row=row, col=1,
    )  # fmt: skip


def _color(channel: int) -> str:
    """Sines and cosines in colours of their own."""
    return theme.VERMILLION if channel % 2 else theme.BLUE
