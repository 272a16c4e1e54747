"""Positional encodings: as a heatmap, as single waves, and as dot products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.figures import theme
from core.figures.heatmap import dense_trace, signed_axis
from core.figures.label_fit import PHONE
from core.figures.line_panels import LinePanel, line_panels
from core.figures.panels import LEVEL_LABELS, panel_figure
from core.figures.theme import Figure, Trace
from core.theory.positional_encoding import dot_products, wave, wavelengths

MAX_CELLS = 128  # along each side of a heatmap; of more, neighbours share a cell
CLOSE_UP = 32  # positions and channels that are shown one by one
WAVE_POSITIONS = 200  # shown of each wave
ZOOM = 50  # positions on either side of the one whose dot products are shown

_CELLS_HEIGHT = 380  # pixels
_WAVE_HEIGHT, _MARGINS_HEIGHT = 120, 90  # pixels
_WAVE_POINTS = 1200  # of a curve
_MAX_DOTS = 64  # positions that are marked on a curve


@dataclass(frozen=True, eq=False)
class EncodingPanel:
    """One heatmap: rows are positions, columns channels."""

    values: NDArray[np.float32]  # (rows, columns)
    positions_a_cell: int = 1  # of which each value is the mean
    channels_a_cell: int = 1


@dataclass(frozen=True, eq=False)
class EncodingInfo:
    """All of an encoding, and a close-up of its first corner if it is large."""

    whole: EncodingPanel
    close: EncodingPanel | None
    highest: float  # of all absolute values; the ends of the color scale


def encoding_info(encoding: ArrayLike) -> EncodingInfo:
    """Prepare an encoding for drawing.

    A screen cannot show each of 2048 positions: there, a cell is the mean of its neighbours, as the eye
    would have it from afar. Leaving out all but every tenth would show waves that are not there.

    Args:
        encoding: shape (length, D).
    """
    values = np.asarray(encoding, dtype=np.float32)
    rows, columns = (max(1, -(-size // MAX_CELLS)) for size in values.shape)
    whole = EncodingPanel(_block_means(values, rows, columns), rows, columns)
    small = max(values.shape) <= 2 * CLOSE_UP  # close enough already
    close = None if small else EncodingPanel(values[:CLOSE_UP, :CLOSE_UP])
    return EncodingInfo(whole, close, float(np.abs(values).max(initial=0.0)))


def encoding_figures(info: EncodingInfo) -> tuple[Figure, ...]:
    """Draw all of it and, if there is one, a close-up of the first corner."""
    panels = [panel for panel in (info.whole, info.close) if panel is not None]
    figures = []
    for title, panel in zip(_panel_titles(info), panels, strict=True):
        last = panel is panels[-1]
        layout = {
            "coloraxis": signed_axis(info.highest or 1.0, "below" if last else "none"),
            "meta": {"min_width": PHONE},
            "xaxis": {"title": {"text": "channel"}, "nticks": 8},
            "yaxis": {
                "title": {"text": "position"}, "autorange": "reversed", "showgrid": False, "nticks": 9,
            },
        }  # fmt: skip
        trace = _encoding_trace(panel)
        figures.append(panel_figure(title, trace, layout, _CELLS_HEIGHT, LEVEL_LABELS, last))
    return tuple(figures)


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
    whole = np.arange(shown if shown <= _MAX_DOTS else 0)
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


def waves_figure(info: WavesInfo) -> Figure:
    """Draw one panel for each channel, on one axis of positions."""
    if not info.waves:
        return theme.message_figure("Choose a channel", 240)
    height = _MARGINS_HEIGHT + _WAVE_HEIGHT * len(info.waves)
    end = max(info.last, 1)
    x_axis = {"range": [-0.01 * end, 1.01 * end], "nticks": 11}
    y_axis = {"range": [-1.15, 1.15], "tickvals": [-1, 0, 1]}
    panels = [LinePanel(wave.title, _wave_traces(wave), x_axis, y_axis) for wave in info.waves]
    panels[-1] = replace(panels[-1], x_axis={**x_axis, "title": {"text": "position"}})
    return line_panels(panels, height, gap=min(0.2, 34 / height), shared=True, layout={"showlegend": False})


def _wave_traces(wave: Wave) -> tuple[Trace, Trace]:
    """The smooth curve, and dots at whole positions."""
    color = _color(wave.channel)
    hover = f"position %{{x:.1f}}: %{{y:.3f}}<extra>channel {wave.channel}</extra>"
    shared = {"type": "scatter", "hovertemplate": hover}
    return (
        {**shared, "x": wave.x, "y": wave.y, "mode": "lines", "line": {"color": color, "width": 2.5}},
        {
            **shared, "x": wave.positions, "y": wave.values, "mode": "markers",
            "marker": {"color": color, "size": 7},
        },
    )  # fmt: skip


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
        """Whether a distant position is more similar to this one than its neighbors are."""
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


def dot_products_figure(info: DotProductsInfo) -> Figure:
    """Draw the whole range above, the neighborhood of the position below, the peak marked in both."""
    first, last = info.zoom
    titles = (f"All {len(info.products):,} positions", f"Zoomed: positions {first:,} to {last:,}")
    low, high = min(info.products), max(info.products)
    room = 0.08 * (high - low) or 1.0
    y_axis = {"title": {"text": "dot product"}, "range": [low - room, high + 2 * room], "nticks": 6}
    x_axis = {"tickformat": ",d", "nticks": 6}
    panels = []
    for title, (start, end) in zip(titles, ((0, len(info.products) - 1), info.zoom), strict=True):
        marked = start <= info.peak <= end
        panels.append(
            LinePanel(
                title,
                [_products_trace(info, start, end), *([_peak_trace(info)] if marked else [])],
                x_axis,
                y_axis,
                [_peak_note(info, right=info.peak > (start + end) / 2)] if marked else [],
            )
        )
    panels[-1] = replace(panels[-1], x_axis={**x_axis, "title": {"text": "position"}})
    return line_panels(panels, 600, gap=0.17, layout={"showlegend": False})


def _products_trace(info: DotProductsInfo, start: int, end: int) -> Trace:
    few = end - start <= 2 * ZOOM
    return {
        "type": "scatter", "x": list(range(start, end + 1)), "y": info.products[start : end + 1],
        "mode": "lines+markers" if few else "lines", "line": {"color": theme.BLUE, "width": 2},
        "marker": {"size": 6}, "hovertemplate": "position %{x}: %{y:.2f}<extra></extra>",
    }  # fmt: skip


def _peak_trace(info: DotProductsInfo) -> Trace:
    return {
        "type": "scatter", "x": [info.peak], "y": [info.highest], "mode": "markers", "hoverinfo": "skip",
        "marker": {"color": theme.VERMILLION, "size": 12},
    }  # fmt: skip


def _peak_note(info: DotProductsInfo, right: bool) -> dict[str, Any]:
    return {
        "text": f"position {info.peak:,}: <b>{info.highest:,.1f}</b>", "x": info.peak, "y": info.highest,
        "xanchor": "right" if right else "left", "xshift": -12 if right else 12, "yshift": 6,
    }  # fmt: skip


def _block_means(values: NDArray[np.float32], rows: int, columns: int) -> NDArray[np.float32]:
    """Means over blocks of (rows, columns); the last ones may be smaller."""
    if rows == columns == 1:
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
        return [""]
    rows, columns = info.close.values.shape
    return ["Whole encoding", f"Close up: {rows} positions, {columns} channel{'s' if columns > 1 else ''}"]


def _encoding_trace(panel: EncodingPanel) -> Trace:
    down, across = panel.positions_a_cell, panel.channels_a_cell
    alone = "position %{y:.0f}, channel %{x:.0f}: %{z:.3f}<extra></extra>"
    mean = "around position %{y:.0f}, channel %{x:.0f}: mean %{z:.2f}<extra></extra>"
    # The middle of each cell: the axes count positions and channels, not cells.
    places = {"x0": (across - 1) / 2, "dx": across, "y0": (down - 1) / 2, "dy": down}
    return {**dense_trace(panel.values, alone if down == across == 1 else mean), **places}


def _color(channel: int) -> str:
    """Sines and cosines in colors of their own."""
    return theme.VERMILLION if channel % 2 else theme.BLUE
