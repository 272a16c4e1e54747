"""Positional encodings: as a heatmap, as single waves, as dot products, and in attention."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Floats, Reals
from core.figures import theme
from core.figures.plotly.heatmap import color_axis, dense_trace, heatmap, side_by_side, signed_axis
from core.figures.plotly.lines import LinePanel, line, named_point, stacked_figure
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, ngettext, number
from core.theory.positional_encoding import wave, wavelengths

_MAX_CELLS = 128  # along each side of a heatmap; beyond, neighbours share a cell
_CLOSE_UP = 32  # positions and channels in the close-up
WAVE_POSITIONS = 200  # shown of each wave
_ZOOM = 50  # positions on either side of the chosen one

_CELLS_HEIGHT, _WORDS_HEIGHT = 380, 210  # pixels
_MIN_WIDTH = 310  # of an encoding, pixels
_WAVE_HEIGHT, _MARGINS_HEIGHT = 96, 90  # pixels
_WAVE_POINTS = 1200  # per curve
_MAX_DOTS = 64  # largest number of positions with a dot on a curve


def cell_size(length: int, d_model: int) -> tuple[int, int]:
    """Return how many positions and channels share a cell of the heatmap."""
    return max(1, -(-length // _MAX_CELLS)), max(1, -(-d_model // _MAX_CELLS))


def encoding_figures(encoding: ArrayLike) -> tuple[Figure, ...]:
    """Draw a whole encoding (length, D) and, if it is large, a close-up of its first corner.

    A screen cannot show 2048 positions, so a cell is then the mean of several. Showing only every tenth position would
    show waves that do not exist.
    """
    values = np.asarray(encoding, dtype=np.float32)
    panels = {"": values}
    if max(values.shape) > 2 * _CLOSE_UP:
        corner = values[:_CLOSE_UP, :_CLOSE_UP]
        rows, columns = corner.shape
        title = ngettext(
            "Close up: {positions} positions, {count} channel",
            "Close up: {positions} positions, {count} channels",
            columns,
        ).format(positions=rows, count=columns)
        panels = {_("Whole encoding"): values, title: corner}
    layout = {
        "coloraxis": signed_axis(float(np.abs(values).max(initial=0.0)) or 1.0),
        "meta": {"min_width": _MIN_WIDTH},
        "xaxis": theme.axis(_("channel"), nticks=8),
        "yaxis": theme.axis(_("position"), autorange="reversed", showgrid=False, nticks=9),
    }
    figures = [theme.plain_figure([_cells(each)], layout) for each in panels.values()]
    return side_by_side(list(panels), figures, _CELLS_HEIGHT)


def _cells(values: Floats) -> PlotlyTrace:
    down, across = cell_size(*values.shape)
    place = {"position": "%{y:.0f}", "channel": "%{x:.0f}"}
    alone = _("position {position}, channel {channel}: {value}").format(value="%{z:.3f}", **place)
    mean = _("around position {position}, channel {channel}: mean {value}").format(value="%{z:.2f}", **place)
    hover = alone if down == across == 1 else mean
    trace = dense_trace(_block_means(values, down, across), f"{hover}<extra></extra>")
    # The middle of each cell: the axes count positions and channels, not cells.
    return {**trace, "x0": (across - 1) / 2, "dx": across, "y0": (down - 1) / 2, "dy": down}


def _block_means(values: Floats, rows: int, columns: int) -> Floats:
    """Return means over blocks of (rows, columns); the last ones may be smaller."""
    row_starts = np.arange(0, values.shape[0], rows)
    column_starts = np.arange(0, values.shape[1], columns)
    sums = np.add.reduceat(np.add.reduceat(values, row_starts, axis=0), column_starts, axis=1)
    heights = np.diff([*row_starts, values.shape[0]])
    widths = np.diff([*column_starts, values.shape[1]])
    return (sums / (heights[:, np.newaxis] * widths)).astype(np.float32)


def waves_figure(channels: Sequence[int], length: int, d_model: int) -> Figure:
    """Draw one panel for each channel, over the same positions.

    Args:
        channels: channels from 0 to D - 1.
        length: length of the encoding; at most WAVE_POSITIONS are shown.
        d_model: width D.
    """
    if not channels:
        return theme.message_figure(_("Choose a channel"), 240)
    height = _MARGINS_HEIGHT + _WAVE_HEIGHT * len(channels)
    shown = max(1, min(length, WAVE_POSITIONS))
    end = max(shown - 1, 1)
    x_axis = theme.axis(_("position"), range=[-0.01 * end, 1.01 * end], nticks=11)
    y_axis = theme.axis(range=[-1.15, 1.15], tickvals=[-1, 0, 1])
    lengths = wavelengths(d_model)
    panels = []
    for channel in channels:
        digits = 1 if lengths[channel] < 1000 else 0
        title = (
            _("Channel {channel}: cosine, one wave is {length} positions long")
            if channel % 2
            else _("Channel {channel}: sine, one wave is {length} positions long")
        ).format(channel=channel, length=number(lengths[channel], f",.{digits}f"))
        panels.append(LinePanel(title, _wave(channel, shown, d_model), y_axis))
    return stacked_figure(panels, height, 0.3, x_axis, {"showlegend": False})


def _wave(channel: int, shown: int, d_model: int) -> list[PlotlyTrace]:
    """Draw the smooth curve, with dots at whole positions unless there are too many."""
    smooth = np.linspace(0, shown - 1, _WAVE_POINTS if shown > 1 else 1)
    whole = np.arange(shown if shown <= _MAX_DOTS else 0)
    color = theme.VERMILLION if channel % 2 else theme.BLUE
    hover = _("channel {channel}, position {position}: {value}").format(
        channel=channel, position="%{x:.1f}", value="%{y:.3f}"
    )
    curve, dots = (
        line(at.tolist(), wave(at, channel, d_model).tolist(), "", color, hover) for at in (smooth, whole)
    )
    return [curve, {**dots, "mode": "markers"}]


def dot_products_figure(products: ArrayLike, position: int) -> Figure:
    """Draw the dot products of one position: with all positions on top, with its neighbors below.

    Args:
        products: dot products with every position, shape (length,); length is 1 or more.
        position: the position that they belong to.
    """
    values: list[float] = np.asarray(products).tolist()
    last = len(values) - 1
    near = (max(0, position - _ZOOM), min(last, position + _ZOOM))
    low, high = min(values), max(values)
    peak = position if values[position] == high else values.index(high)
    room = 0.08 * (high - low) or 1.0
    y_axis = theme.axis(_("dot product"), range=[low - room, high + 2 * room], nticks=6)
    nearest, farthest = (number(each, ",") for each in near)
    titles = (
        _("All {count} positions").format(count=number(len(values), ",")),
        _("Zoomed: positions {first} to {last}").format(first=nearest, last=farthest),
    )
    panels: list[LinePanel] = []
    for title, (start, end) in zip(titles, ((0, last), near), strict=True):
        x = list(range(start, end + 1))
        hover = _("position {position}: {value}").format(position="%{x}", value="%{y:.2f}")
        few = end - start <= 2 * _ZOOM
        traces = [line(x, values[start : end + 1], "", theme.BLUE, hover, width=2, markers=few)]
        notes = []
        if start <= peak <= end:
            text = _("position {position}: <b>{value}</b>").format(
                position=number(peak, ","), value=number(high, ",.1f")
            )
            dot, note = named_point(peak, high, text, theme.VERMILLION, left=peak > (start + end) / 2)
            traces.append(dot)
            notes.append(note)
        x_axis = theme.axis(_("position") if panels else "", tickformat=",d", nticks=6)
        panels.append(LinePanel(title, traces, y_axis, x_axis, notes))
    return stacked_figure(panels, 490, 0.36, layout={"showlegend": False})


def word_order_figures(words: Sequence[str], maps: Sequence[Reals]) -> tuple[Figure, ...]:
    """Draw four attention maps (T, T) of words in their written order, on one color scale.

    Without positions, the words were read as written, then shuffled; the last two maps are the same with positions.
    """
    titles = [
        _("Without positions, as written"),
        _("Without positions, shuffled"),
        _("With positions, as written"),
        _("With positions, shuffled"),
    ]
    colors = color_axis((0.0, max(float(each.max()) for each in maps)), "none")
    says = N_("{row} attends to {column}: {value:.2f}")
    figures = [heatmap(each, words, words, hover=says, colors=colors) for each in maps]
    return side_by_side(titles, figures, _WORDS_HEIGHT, upright=True)
