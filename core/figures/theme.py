"""The colors, sizes and buttons of all figures.

A figure is a plain dictionary of what differs from the defaults, which are in a template for light pages and one for
dark pages.
"""

import html
import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.arrays import Reals
from core.language import language, number

PlotlyTrace = dict[str, Any]  # what is drawn together: bars, a line, the cells of a map
Figure = dict[str, Any]  # "data" (the traces) and "layout", as in Plotly's reference
Mode = Literal["light", "dark"]
Scale = tuple[tuple[float, str], ...]  # colors at points from 0 to 1

# The colors of Okabe and Ito 2008 ("Color Universal Design") with enough contrast both on white and on nearly black.
BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
SERIES = (BLUE, VERMILLION, GREEN, PURPLE)  # of curves, sides and heads that are told apart, in this order

GREY = "#808080"  # for the less important: norms, padding
PALE_GREEN = "#A5DCCB"  # beside GREEN, for something of the same kind
DARK_VERMILLION = "#A84700"  # behind white text, for which VERMILLION is too bright
BLACK, WHITE = "#000000", "#FFFFFF"  # text on colors that are the same in light and dark

# The palette of attention and of all other shares, from 0 to the highest: from the page to blue, in even steps of
# lightness in OKLab, at the hue of BLUE. 0 differs a little from the page, so that it never looks like "nothing".
_SHARES: dict[Mode, tuple[str, ...]] = {
    "light": ("f1f6fa", "cde1f2", "a9ccea", "84b7e1", "5ea2d8", "388dcb", "2477b2", "0a6399", "004e7d"),
    "dark": ("182229", "182c3b", "16364e", "114062", "054b76", "015587", "016097", "016ba8", "0177b9"),
}
SHARES: dict[Mode, Scale] = {
    mode: tuple((place / (len(colors) - 1), f"#{color}") for place, color in enumerate(colors))
    for mode, colors in _SHARES.items()
}
STRONG = 0.72  # white text is easier to read above; below, black on a light page
# The code of a cell without a share in maps whose shares are the codes 0 to 254.
BLANK = 255
# The signed scale: from the lowest negative number over zero, the palest, to the highest positive one.
SIGNED_SCALE: Scale = ((0.0, BLUE), (0.5, "#EDEDED"), (1.0, VERMILLION))
# The same on a dark page, where zero is the darkest; all text on it is white.
_DARK_SIGNED_SCALE: Scale = ((0.0, BLUE), (0.5, "#302E2B"), (1.0, DARK_VERMILLION))
# Of each kind of page: the signed scale, and the color of text on it that is written in no other.
_SIGNED: dict[Mode, tuple[Scale, str]] = {"light": (SIGNED_SCALE, BLACK), "dark": (_DARK_SIGNED_SCALE, WHITE)}

GRID = "rgba(128, 128, 128, 0.25)"
_BUTTON = "rgba(128, 128, 128, 0.8)"
TRANSPARENT = "rgba(0, 0, 0, 0)"

HEIGHT = 420  # pixels
_FONT = '"Source Sans", sans-serif'  # Streamlit's
FONT_SIZE = 15  # pixels, readable from the back of a classroom
_TITLE_SIZE = 18
TICK_SIZE = 14
MARGIN = {"l": 12, "r": 12, "t": 48, "b": 12, "pad": 8}  # pixels; axes add what their labels need

TOOLBAR = 28  # pixels above a figure without a title, for the buttons that come with the mouse

_LEAST_PERCENT = 0.005  # is rounded to 1%
_LABEL_LENGTH = 14  # characters per label on an axis

_AXIS: dict[str, Any] = {
    "automargin": True,
    "gridcolor": GRID,
    "linecolor": GRID,
    "showline": True,
    "ticks": "",
    "zeroline": False,
}

# Below everything else, where it takes no width on a phone.
_LEGEND = {
    "orientation": "h",
    "x": 0,
    "y": 0,
    "yref": "container",
    "yanchor": "bottom",
    "valign": "top",
    "bgcolor": TRANSPARENT,
}


def plain_figure(
    traces: Iterable[PlotlyTrace], layout: Mapping[str, Any] | None = None, height: int = HEIGHT
) -> Figure:
    """Return a figure in the format of Plotly's JavaScript.

    Plotly's Python objects check every property at every change, which took 40 % of the time of a page. Tests check
    every figure once instead.

    Args:
        traces: the traces to draw.
        layout: what differs from the theme; single margins may be given.
        height: height of the whole figure, pixels.
    """
    own = dict(layout or {})
    margin = {**MARGIN, **own.get("margin", {})}
    return {"data": list(traces), "layout": {"height": height, **own, "margin": margin}}


def without_zoom(figure: Figure) -> Figure:
    """Return a figure that dragging does not zoom: one whose parts belong together, as cells and frames do."""
    layout = dict(figure["layout"])
    for name in {"xaxis", "yaxis", *(name for name in layout if name[1:].startswith("axis"))}:
        layout[name] = {**layout.get(name, {}), "fixedrange": True}
    return {**figure, "layout": {**layout, "dragmode": False}}


def plotly_config(figure: Figure) -> dict[str, Any]:
    """Return the configuration for a figure: the same toolbar everywhere, with zoom unless the figure has none."""
    is_fixed = figure["layout"].get("xaxis", {}).get("fixedrange", False)
    zoom = [] if is_fixed else ["zoomIn2d", "zoomOut2d", "resetScale2d"]
    return {
        "displaylogo": False,
        "displayModeBar": "hover",
        "modeBarButtons": [["toImage", *zoom]],
        "showSendToCloud": False,
        "toImageButtonOptions": {"format": "svg", "filename": "transformer-classroom", "scale": 2},
        "responsive": True,
    }


def message_figure(message: str, height: int = HEIGHT) -> Figure:
    """Return an empty figure with a message in its middle."""
    middle = {"xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}
    note = {"text": message, **middle, "font": {"size": _TITLE_SIZE}}
    return plain_figure(
        [], {"annotations": [note], "xaxis": {"visible": False}, "yaxis": {"visible": False}}, height
    )


def axis(title: str = "", **settings: Any) -> dict[str, Any]:
    """Return settings of a Plotly axis; an empty title is left out, since Plotly would keep room for it."""
    return {"title": {"text": title}, **settings} if title else settings


def themed(figure: Figure, mode: Mode, letters: float = 1.0) -> Figure:
    """Return a figure with the template of a light or dark page; the given figure is not changed.

    Plotly writes numbers as the reader's language does. All text is `letters` times as large as usual.
    """
    reader = language()
    own = {"template": _template(mode, letters), "separators": f"{reader.decimal}{reader.group}"}
    shown = {**figure, "layout": {**own, **figure["layout"]}}
    return shown if letters == 1 else _enlarged(shown, letters)


def _enlarged(part: Any, letters: float) -> Any:
    """Return a part of a figure with larger fonts where it sets its own."""
    if isinstance(part, list):
        return [_enlarged(each, letters) if isinstance(each, dict) else each for each in part]
    larger = {name: _enlarged(each, letters) for name, each in part.items() if isinstance(each, dict | list)}
    for name in ("font", "textfont"):
        if "size" in part.get(name, {}):
            larger[name] = {**part[name], "size": letters * part[name]["size"]}
    return {**part, **larger, **({"template": part["template"]} if "template" in part else {})}


# Colors of text and background, in full contrast: Streamlit's own grey is too faint for a projector.
_CONTRAST: dict[Mode, tuple[str, str]] = {"light": ("#1f1e1c", "#ffffff"), "dark": ("#f4f2ef", "#171614")}


@cache
def _template(mode: Mode, letters: float) -> dict[str, Any]:
    """Return the defaults of all figures."""
    text, behind_hover = _CONTRAST[mode]
    signed_scale, text_on_signed = _SIGNED[mode]
    size = letters * FONT_SIZE
    tick_font = {"size": letters * TICK_SIZE}
    both = {**_AXIS, "tickfont": tick_font}
    # Larger letters take their room from the gap, since the height of figures is that for the usual size.
    below = 20 - 2 * (size - FONT_SIZE)
    return {
        "layout": {
            "paper_bgcolor": TRANSPARENT,
            "plot_bgcolor": TRANSPARENT,
            "font": {"family": _FONT, "size": size, "color": text},
            "title": {"font": {"size": size, "weight": 700}, "x": 0, "xanchor": "left", "pad": {"l": 4}},
            "hoverlabel": {"bgcolor": behind_hover, "bordercolor": GRID, "font": {"color": text}},
            "hovermode": "closest",
            "legend": _LEGEND,
            "modebar": {"bgcolor": TRANSPARENT, "color": _BUTTON, "activecolor": BLUE},
            "annotationdefaults": {"showarrow": False},
            "colorscale": {"diverging": signed_scale},
            "coloraxis": {
                "colorscale": SHARES[mode],
                "colorbar": {"thickness": 14, "outlinewidth": 0, "tickfont": tick_font},
            },
            "coloraxis2": {"colorscale": _with_blank(SHARES[mode])},
            "xaxis": {**both, "showgrid": False, "title": {"standoff": below, "font": {"size": size}}},
            "yaxis": {**both, "title": {"standoff": 24, "font": {"size": size}}},
        },
        "data": {
            "scatter": [{"marker": {"line": {"width": 0}}}],
            "heatmap": [{"textfont": {"color": text_on_signed}}],
        },
    }


def _with_blank(scale: Scale) -> Scale:
    """Return a scale for codes from 0 to BLANK, the last of which is transparent."""
    shown = tuple((place * (BLANK - 1) / BLANK, color) for place, color in scale)
    return (*shown, ((BLANK - 0.5) / BLANK, TRANSPARENT), (1.0, TRANSPARENT))


def colors_of(shares: Reals, scale: Scale) -> NDArray[np.uint8]:
    """Return red, green and blue (..., 3) for numbers from 0 to 1, interpolated on a scale as browsers do."""
    places, stops = zip(*scale, strict=True)
    channels = zip(*(bytes.fromhex(stop[1:]) for stop in stops), strict=True)
    return np.stack([np.interp(shares, places, each) for each in channels], axis=-1).round().astype(np.uint8)


# The palette in steps that the eye does not see, for what the browser paints.
SHADES: dict[Mode, list[str]] = {
    mode: [f"#{bytes(color).hex()}" for color in colors_of(np.linspace(0, 1, 65), scale)]
    for mode, scale in SHARES.items()
}


def percent(share: float) -> str:
    """Return a share from 0 to 1 in percent, without decimals."""
    if 0 < share < _LEAST_PERCENT:
        return f"< {number(0.01, '.0%')}"
    return number(share, ".0%")


def percent_ticks(*shares: float) -> dict[str, Any]:
    """Return settings of an axis with shares in percent; Plotly's own format has no space before the sign."""
    return {"tickvals": shares, "ticktext": [number(share, ".0%") for share in shares]}


def escaped(text: str) -> str:
    """Escape text for Plotly, so that "<b>" in a token is not bold."""
    return html.escape(text, quote=False)


def shortened(label: str, length: int = _LABEL_LENGTH) -> str:
    """Return the label, cut with "…" if it is longer than `length` characters."""
    return label if len(label) <= length else label[: length - 1] + "…"


def tick_positions(count: int, most: int) -> range:
    """Return every k-th of `count` positions from 0, with the smallest k for at most `most` positions."""
    return range(0, count, max(1, math.ceil(count / most)))
