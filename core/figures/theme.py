"""Colours, sizes and buttons of every figure, in one place.

Backgrounds are transparent and text has no colour of its own, so that Streamlit's theme (or plain
Plotly) can make it right in light and in dark.
"""

from __future__ import annotations

import html
import math
from typing import Any

import plotly.graph_objects as go

# Okabe and Ito 2008 ("Color Universal Design"), those of the eight with enough contrast on white and
# on nearly black alike.
BLUE = "#0072B2"
VERMILLION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"

GREY = "#808080"  # what is beside the point: norms, pads
PALE_GREEN = "#A5DCCB"  # beside GREEN, for what is of the same kind
DARK_VERMILLION = "#A84700"  # behind white text, which VERMILLION is too bright for
BLACK, WHITE = "#000000", "#FFFFFF"  # text on colours that are the same in light and dark

# 0 to the highest weight. Evenly perceived, safe for colour-blind people and in grey print; its
# darkest end stands out from a white and from a nearly black page, so "0" never looks like "nothing".
ATTENTION_SCALE = "Viridis"

# The lowest negative number, zero, and the highest positive one: zero is the palest.
SIGNED_SCALE = ((0.0, BLUE), (0.5, "#EDEDED"), (1.0, VERMILLION))

GRID = "rgba(128, 128, 128, 0.25)"
BUTTON = "rgba(128, 128, 128, 0.8)"
TRANSPARENT = "rgba(0, 0, 0, 0)"

HEIGHT = 420  # pixels
FONT_SIZE = 15  # pixels, readable from the back of a classroom
TITLE_SIZE = 18
TICK_SIZE = 14
MARGIN = {"l": 12, "r": 12, "t": 48, "b": 12}  # pixels; axes add what their labels need

LABEL_LENGTH = 14  # characters of a token on an axis

# For st.plotly_chart(config=...) and write_html(config=...).
PLOTLY_CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "displayModeBar": "hover",
    "modeBarButtons": [["toImage", "resetScale2d"]],
    "showSendToCloud": False,
    "toImageButtonOptions": {"format": "svg", "filename": "transformer-classroom"},
    "responsive": True,
}


def apply_theme(figure: go.Figure, height: int = HEIGHT) -> go.Figure:
    """Set what all figures share.

    Args:
        figure: changed in place.
        height: of the whole figure, pixels.

    Returns:
        The same figure.
    """
    figure.update_layout(
        height=height,
        margin=MARGIN,
        paper_bgcolor=TRANSPARENT,
        plot_bgcolor=TRANSPARENT,
        font_size=FONT_SIZE,
        title_font_size=TITLE_SIZE,
        hoverlabel_font_size=FONT_SIZE,
        legend_font_size=FONT_SIZE,
        modebar={"bgcolor": TRANSPARENT, "color": BUTTON, "activecolor": BLUE},
    )
    axis = {
        "automargin": True,
        "gridcolor": GRID,
        "linecolor": GRID,
        "zeroline": False,
        "tickfont_size": TICK_SIZE,
        "title_font_size": FONT_SIZE,
    }
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    return figure


def apply_message(figure: go.Figure, message: str) -> go.Figure:
    """Write a message in the middle of a figure that has nothing to draw yet."""
    figure.add_annotation(
        text=message, xref="paper", yref="paper", x=0.5, y=0.5, showarrow=False, font_size=TITLE_SIZE
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure


def escaped(text: str) -> str:
    """Text that Plotly shows as it is; it would take "<b>" in a token for bold."""
    return html.escape(text, quote=False)


def shortened(label: str, length: int = LABEL_LENGTH) -> str:
    """The label, or its beginning and "…" where it is longer than `length` characters."""
    return label if len(label) <= length else label[: length - 1] + "…"


def tick_positions(count: int, most: int) -> range:
    """Every k-th of `count` positions, from 0, with the smallest k that gives at most `most` of them."""
    return range(0, count, max(1, math.ceil(count / most)))
