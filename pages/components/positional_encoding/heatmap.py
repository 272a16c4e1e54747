"""A whole encoding as colours."""

from __future__ import annotations

import streamlit as st

from core.figures.positions import encoding_figures, encoding_info
from core.theory.positional_encoding import sinusoidal_encoding
from pages.components.lesson.view import View
from pages.components.positional_encoding.sizes import choose_sizes
from pages.components.widgets.drawing.figure import show_figures


def _show_heatmap() -> None:
    length, width = choose_sizes()
    info = encoding_info(sinusoidal_encoding(length, width))
    show_figures(
        encoding_figures(info),
        alt=f"Heatmap of the encoding: {length} positions, {width} channels",
        key="encoding",
        across=2,
    )
    if info.whole.positions_a_cell > 1 or info.whole.channels_a_cell > 1:
        st.caption(
            f"It is too large for a screen: each cell of the picture is the mean of {info.whole.positions_a_cell} "
            f"positions × {info.whole.channels_a_cell} channels, so waves shorter than a cell fade to 0."
        )


HEATMAP = View(_show_heatmap, (sinusoidal_encoding,))
