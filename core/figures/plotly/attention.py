"""Attention as heat maps: the heads of all layers as small maps, and the chosen one large, in one figure.

Axis letters: see `core.config`.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.figures import theme
from core.figures.label_fit import letters_within, longest_label
from core.figures.plotly.heatmap import color_axis, encoded, label_axis
from core.figures.theme import Figure, PlotlyTrace
from core.language import N_, _, number
from core.records.attention import HeadMaps

LONG = 30  # tokens of a sentence; with more, the large map needs the whole width

_SMALL = 0.42  # share of the width for the small maps
_WIDE = 0.9  # width of a small map, as a share of its place
_CAPTION = 12  # size of the letters below small maps
_CAPTION_ROOM = 22  # pixels of a line of them
# What a head does in one word, where its name has more.
SHORT_ROLES = {
    "one step late": N_("late"),
    "previous token": N_("previous"),
    "next token": N_("next"),
    "full stop": N_("stop"),
    "end token": N_("end"),
    "start token": N_("start"),
    "all alike": N_("even"),
}
_MOST_CAPTIONS = 6  # small maps side by side that have room for a caption
_LINE = 18  # pixels of a line of the title
_NAME = 28  # of the large map's name, and of the names above small maps
_AXIS_TITLE = 36
_LAYER_NAME = 34
_NUMBER = 20  # the same where its number is its name
_BAR = 60  # of a color bar
_GAP = 20  # between the small maps and the large one
_MIN_SIDE = 250  # of the large map
_PITCH = 16  # comfortable height of a row with a label
_LEAST_PITCH = 12
_LEAST_SMALL = 52  # least width of a small map with its name
_LEAST_SMALL_ALONE = 32  # the same where the number of a head is its name
_LAYER, _PHONE_LAYER = 86, 110  # least height of a layer's small maps

_EMPTY_LINE = "<br>\N{NO-BREAK SPACE}"
_DECIMALS = 4  # of the large map's weights
_TITLE_FONT = {"size": theme.TICK_SIZE, "weight": 400}


class Screen(NamedTuple):
    """The room for a figure."""

    width: float  # pixels
    height: float | None = None  # pixels; None for as many as the labels need
    letters: float = 1.0  # their size; 1 is the usual one
    is_phone: bool = False  # whether the large map comes first, the small ones below


def _saying(row: str, column: str, weight: float) -> str:
    shown = _("masked") if np.isnan(weight) else number(weight, ".2f")
    return _("{row} → {column}: {weight}").format(row=row, column=column, weight=shown)


class _Across(NamedTuple):
    """Where the maps are from left to right: pixels for the usual letters, and shares of the width within margins."""

    left: float  # margin, pixels
    right: float
    large: list[float]
    small: list[float]
    column: float  # width of a column of the large map, pixels
    is_upright: bool  # whether the labels of columns are


class _Down(NamedTuple):
    """Where the maps are from the bottom to the top, as in `_Across`."""

    top: float
    bottom: float
    height: float  # of the whole figure
    large: list[float]
    small: list[float]
    row: float
    place: float


def _plan_across(maps: HeadMaps, screen: Screen, is_enlarged: bool) -> _Across:
    columns = maps.columns
    beside = longest_label(maps.rows) + _AXIS_TITLE
    left = beside
    right = theme.MARGIN["r"] if screen.is_phone else _BAR
    width = screen.width / screen.letters - left - right
    large, small = 1.0, [0.0, 1.0]  # on a phone, the small maps are below the large one
    if not screen.is_phone:
        small = [1 - _SMALL, 1.0]
        large = 1.0 if is_enlarged else 1 - _SMALL - (_LAYER_NAME + _GAP) / width
    column = width * large / len(columns)
    is_upright = longest_label(columns) > column
    return _Across(left, right, [0.0, large], small, column, is_upright)


def _least_width(maps: HeadMaps, screen: Screen, is_enlarged: bool) -> int:
    """Return the pixels below which labels would lie over each other."""
    large = len(maps.columns) * _LEAST_PITCH + longest_label(maps.rows) + _AXIS_TITLE
    if screen.is_phone or is_enlarged:
        return round(large)
    return round(large + _LEAST_SMALL * len(maps.names) + _LAYER_NAME + _GAP + _BAR)


def _plan_down(maps: HeadMaps, screen: Screen, is_enlarged: bool, lines: int, is_upright: bool) -> _Down:
    """Return the plan below a title of some lines."""
    rows, layers = len(maps.rows), len(maps.weights)
    top = 8 + _LINE * lines + _NAME
    labels = (longest_label(maps.columns) if is_upright else _LINE) + _AXIS_TITLE
    bottom = labels
    large: float = max(_MIN_SIDE, rows * _PITCH)
    small: float = 0 if is_enlarged else layers * (_PHONE_LAYER if screen.is_phone else _LAYER)
    if screen.is_phone:
        between = 0 if is_enlarged else labels + _NAME
        bottom = labels + _BAR if is_enlarged else _BAR
        inner = large + between + small
    else:
        inner = max(large, small)
        if screen.height is not None:
            inner = screen.height / screen.letters - top - bottom
        large = small = inner
    return _Down(
        top,
        bottom,
        top + inner + bottom,
        [1 - large / inner, 1.0],
        [0.0, small / inner],
        large / rows,
        small / layers,
    )


def _title_lines(caption: str, screen: Screen) -> list[str]:
    """Return the sentence and its translation in lines; all of them only where they leave room for the maps."""
    lines = textwrap.wrap(caption, letters_within(screen.width / screen.letters))
    most = 3 if screen.is_phone else len(lines) if screen.height is None else 2
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} …"]


def _color_bar(is_phone: bool) -> dict[str, Any]:
    if is_phone:
        below = {"y": 0, "yref": "container", "yanchor": "bottom"}
        return {"orientation": "h", "len": 0.9, "nticks": 4, "tickangle": 0, **below}
    return {"lenmode": "pixels", "len": 190, "y": 1, "yanchor": "top", "nticks": 4}


def attention_figure(
    maps: HeadMaps,
    head: str,
    caption: str,
    screen: Screen,
    *,
    word: tuple[str, int] | None = None,
    cell: tuple[int, int] | None = None,
    is_enlarged: bool = False,
) -> Figure:
    """Draw all heads as small maps, and one of them large with its words; there are both rows and columns.

    Invisible markers take the clicks, since heat maps report none. Their `customdata` is "head 2.3", or "cell 4.5" for
    row 4 and column 5 of the large map, from 1.

    Args:
        maps: the maps of one kind of attention.
        head: the map to draw large.
        caption: the sentence and its translation, which the picture carries.
        screen: the room for the figure.
        word: "row" or "column", and the index of a word to mark in all maps.
        cell: row and column of a cell to mark in the large map, from 0.
        is_enlarged: whether the large map takes the whole width, without the small ones.
    """
    rows, columns = maps.rows, maps.columns
    across = _plan_across(maps, screen, is_enlarged)
    title = _title_lines(caption, screen)
    down = _plan_down(maps, screen, is_enlarged, len(title), across.is_upright)
    traces = [_large_map(maps, head), _cell_markers(maps, head)]
    shapes = []
    if word is not None:
        shapes.append(_frame("", _line_of(word, len(rows), len(columns)), 2))
    if cell is not None:
        row, column = cell
        shapes.append(_frame("", (column - 0.5, column + 0.5, row - 0.5, row + 0.5), 3))
    notes = [_name_of_large(maps.title(head), across.large[0])]
    margins = {"l": across.left, "r": across.right, "t": down.top, "b": down.bottom}
    layout: dict[str, Any] = {
        "title": _title(title),
        "coloraxis": {**color_axis((0.0, maps.highest)), "colorbar": _color_bar(screen.is_phone)},
        "margin": {side: round(pixels * screen.letters) for side, pixels in margins.items()},
        "meta": {"min_width": _least_width(maps, screen, is_enlarged)},
        "xaxis": _words_axis(columns, maps.column_title, across.column, screen)
        | {"domain": across.large, "anchor": "y", "tickangle": -90 if across.is_upright else 0},
        "yaxis": _words_axis(rows, maps.row_title, down.row, screen, down=True)
        | {"domain": down.large, "anchor": "x"},
        "hoverdistance": -1,  # a place on a map belongs to the nearest marker
        "clickmode": "event+select",
        # On a phone, a finger on the map scrolls the page.
        "dragmode": False if screen.is_phone else "zoom",
        "showlegend": False,
    }
    if not is_enlarged:
        has_captions = len(maps.names) <= _MOST_CAPTIONS
        high = max(0.3, 1 - _CAPTION_ROOM / down.place) if has_captions else _WIDE
        traces += [_small_maps(maps, high), _head_markers(maps, high)]
        shapes += _small_frames(maps, head, high, word)
        notes += _captions(maps, high) if has_captions else []
        layout |= _small_axes(maps, across.small, down.small, high)
    layout |= {"shapes": shapes, "annotations": notes}
    return theme.plain_figure(traces, layout, round(down.height))


def small_maps_figure(
    models: Mapping[str, tuple[HeadMaps, str]], height: float, letters: float = 1.0
) -> Figure:
    """Draw all heads of one or two models as small maps, one model below the other.

    `customdata` of the invisible markers that take the clicks is "{model} 2.3".

    Args:
        models: their maps, and the chosen one of each, by a name without spaces.
        height: of the figure, pixels.
        letters: their size; 1 is the usual one.
    """
    above = _NAME + _LINE  # the model's name, and the names of its heads
    inner = height / letters - above - theme.MARGIN["b"]
    room = inner - (len(models) - 1) * above
    layers = sum(len(maps.weights) for maps, _head in models.values())
    names = max(len(maps.names) for maps, _head in models.values())
    layout: dict[str, Any] = {
        "margin": {"l": round(_NUMBER * letters), "r": round(_NUMBER * letters), "t": round(above * letters)},
        "meta": {"min_width": 2 * _NUMBER + names * _LEAST_SMALL_ALONE},
        "hoverdistance": -1,
        "clickmode": "event+select",
        "showlegend": False,
    }
    traces: list[PlotlyTrace] = []
    shapes: list[dict[str, Any]] = []
    notes = []
    top = 1.0
    for axes, (model, (maps, head)) in zip(("", "2"), models.items(), strict=False):
        bottom = max(0.0, top - room / inner * len(maps.weights) / layers)
        traces += [_small_maps(maps, _WIDE, axes), _head_markers(maps, _WIDE, axes, model)]
        shapes += _small_frames(maps, head, _WIDE, None, axes)
        layout |= _small_axes(maps, [0.0, 1.0], [bottom, top], _WIDE, axes)
        # Names of layers and heads in words are too long where there are many rows.
        layout[f"xaxis{axes}"]["ticktext"] = list(map(_, maps.names))
        layout[f"yaxis{axes}"] |= {"ticktext": [*range(1, len(maps.weights) + 1)], "tickangle": 0}
        name = _name_of_large(maps.name, 0.0)
        text = name["text"] + _EMPTY_LINE  # where its heads have their names
        notes.append({**name, "y": top, "text": text, "xshift": -layout["margin"]["l"]})
        top = bottom - above / inner
    return theme.without_zoom(
        theme.plain_figure(traces, {**layout, "shapes": shapes, "annotations": notes}, round(height))
    )


def _title(lines: Sequence[str]) -> dict[str, Any]:
    place = {"y": 1, "yref": "container", "yanchor": "top"}
    # Plotly moves several lines up.
    pad = {"t": 16 if len(lines) > 1 else 6, "l": 4}
    return {"text": "<br>".join(map(theme.escaped, lines)), **place, "pad": pad, "font": _TITLE_FONT}


def _name_of_large(name: str, left: float) -> dict[str, Any]:
    place = {"xref": "paper", "x": left, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom"}
    return {"text": f"<b>{theme.escaped(name)}</b>", **place}


def _words_axis(
    labels: Sequence[str], title: str, pitch: float, screen: Screen, *, down: bool = False
) -> dict[str, Any]:
    """Return an axis of the large map with all its labels, or on a projector as many as can be read.

    Margins are planned, since Plotly would draw everything three times to find them.
    """
    if screen.height is not None:
        most = max(1, int(pitch * len(labels) / theme.FONT_SIZE))
        return {**label_axis(labels, title, down=down, most=most), "automargin": False}
    font = {"size": max(9, min(theme.TICK_SIZE, int(pitch)))}
    return {**label_axis(labels, title, down=down, most=len(labels)), "automargin": False, "tickfont": font}


def _large_map(maps: HeadMaps, head: str) -> PlotlyTrace:
    weights = maps.weights[maps.place(head)].astype(np.float64).round(_DECIMALS)
    return {
        "type": "heatmap",
        "z": np.where(np.isnan(weights), np.array(None), weights).tolist(),
        "coloraxis": "coloraxis",
        "hoverinfo": "skip",
    }


def _cell_markers(maps: HeadMaps, head: str) -> PlotlyTrace:
    weights = maps.weights[maps.place(head)].tolist()
    rows, columns = (list(map(theme.escaped, words)) for words in (maps.rows, maps.columns))
    cells = [(row, column) for row in range(len(rows)) for column in range(len(columns))]
    return _markers(
        [column for row, column in cells],
        [row for row, column in cells],
        [f"cell {row + 1}.{column + 1}" for row, column in cells],
        [_saying(rows[row], columns[column], weights[row][column]) for row, column in cells],
    )


def _markers(x: list[Any], y: list[Any], clicked: list[str], says: list[str]) -> PlotlyTrace:
    """Return invisible markers, which can be clicked and say something where the mouse is nearest to them."""
    return {
        "type": "scatter",
        "mode": "markers",
        # One is drawn, and all can be clicked: thousands of elements would take a page seconds.
        "marker": {"size": 2, "opacity": 0, "maxdisplayed": 1},
        "x": x,
        "y": y,
        "customdata": clicked,
        "hovertext": says,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _small_maps(maps: HeadMaps, high: float, axes: str = "2") -> PlotlyTrace:
    """Return all small maps as one heat map, since Plotly takes long for many axes.

    Map n of layer l has its upper left corner at (n, l), a width of `_WIDE` and a height of `high`. Between the maps are
    blank cells.
    """
    weights = maps.weights
    layers, names, rows, columns = weights.shape
    shares = np.clip(np.nan_to_num(weights) / maps.highest, 0, 1) * (theme.BLANK - 1)
    codes = np.full((layers, rows + 1, names, columns + 1), theme.BLANK, np.uint8)
    codes[:, :rows, :, :columns] = np.where(np.isnan(weights), theme.BLANK, shares.round()).transpose(
        0, 2, 1, 3
    )
    whole = codes.reshape(layers * (rows + 1), names * (columns + 1))[:-1, :-1]
    return {
        "type": "heatmap",
        "z": encoded(whole),
        "x": _edges(names, columns, _WIDE),
        "y": _edges(layers, rows, high),
        "xaxis": f"x{axes}",
        "yaxis": f"y{axes}",
        "coloraxis": "coloraxis2",
        "hoverinfo": "skip",
    }


def _edges(maps: int, cells: int, length: float) -> list[float]:
    """Return the edges of the cells of maps in a line, each of a length below 1."""
    places = np.arange(maps)[:, None] + np.linspace(0, length, cells + 1)
    return places.ravel().round(4).tolist()


def _head_markers(maps: HeadMaps, high: float, axes: str = "2", what: str = "head") -> PlotlyTrace:
    places = [maps.place(head) for head in maps.ids]
    return _markers(
        [place + _WIDE / 2 for layer, place in places],
        [layer + high / 2 for layer, place in places],
        [f"{what} {head}" for head in maps.ids],
        [theme.escaped(maps.title(head)) for head in maps.ids],
    ) | {"xaxis": f"x{axes}", "yaxis": f"y{axes}"}


def _small_frames(
    maps: HeadMaps, head: str, high: float, word: tuple[str, int] | None, axes: str = "2"
) -> list[dict[str, Any]]:
    """Return a frame around the chosen map, and around a word's row or column in all of them."""
    layer, place = maps.place(head)
    frames = [_frame(axes, (place, place + _WIDE, layer, layer + high), 3)]
    if word is not None:
        rows, columns = len(maps.rows), len(maps.columns)
        left, right, top, bottom = _line_of(word, rows, columns)
        across, down = _WIDE / columns, high / rows
        for layer, place in map(maps.place, maps.ids):
            x0, x1 = (place + across * (edge + 0.5) for edge in (left, right))
            y0, y1 = (layer + down * (edge + 0.5) for edge in (top, bottom))
            frames.append(_frame(axes, (x0, x1, y0, y1), 1))
    return frames


def _line_of(word: tuple[str, int], rows: int, columns: int) -> tuple[float, float, float, float]:
    """Return the ends of a word's row or column: left, right, top, bottom."""
    side, index = word
    if side == "row":
        return -0.5, columns - 0.5, index - 0.5, index + 0.5
    return index - 0.5, index + 0.5, -0.5, rows - 0.5


def _frame(axes: str, ends: tuple[float, float, float, float], width: int) -> dict[str, Any]:
    x0, x1, y0, y1 = ends
    line = {"color": theme.VERMILLION, "width": width}
    return {
        "type": "rect",
        "xref": f"x{axes}",
        "yref": f"y{axes}",
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "line": line,
    }


def _captions(maps: HeadMaps, high: float) -> list[dict[str, Any]]:
    """Return what each head does in one word, below its small map."""
    notes = []
    for layer, roles in enumerate(maps.roles):
        for place, role in enumerate(roles):
            text = SHORT_ROLES.get(role, role)
            if text:
                at = {
                    "x": place + _WIDE / 2,
                    "y": layer + high,
                    "xref": "x2",
                    "yref": "y2",
                    "yanchor": "top",
                }
                notes.append({"text": _(text), **at, "font": {"size": _CAPTION}, "borderpad": 0})
    return notes


def _small_axes(
    maps: HeadMaps, across: list[float], down: list[float], high: float, axes: str = "2"
) -> dict[str, Any]:
    """Return the axes of the small maps, with the names of heads and layers, and their colors."""
    layers, names = maps.weights.shape[:2]
    heads = list(map(_, maps.names))
    if names <= _MOST_CAPTIONS:
        heads = [_("head {head}").format(head=name) if name.isdecimal() else _(name) for name in maps.names]
    shared = {
        "automargin": False,
        "tickmode": "array",
        "fixedrange": True,
        "showgrid": False,
        "showline": False,
    }
    return {
        "coloraxis2": {"cmin": 0, "cmax": theme.BLANK, "showscale": False},
        f"xaxis{axes}": {
            **shared,
            "domain": across,
            "anchor": f"y{axes}",
            "side": "top",
            "range": [0, names],
            "tickvals": [place + _WIDE / 2 for place in range(names)],
            "ticktext": heads,
            "tickangle": 0,
        },
        f"yaxis{axes}": {
            **shared,
            "domain": down,
            "anchor": f"x{axes}",
            "range": [layers, 0],
            "tickvals": [layer + high / 2 for layer in range(layers)],
            "ticktext": [_("layer {layer}").format(layer=layer + 1) for layer in range(layers)],
            "tickangle": -90,
        },
    }
