"""A whole encoding as colours."""

from __future__ import annotations

import streamlit as st

from core.figures.positions import cell_size, encoding_figures
from core.theory.positional_encoding import sinusoidal_encoding
from pages.components.lesson.view import View
from pages.components.positional_encoding.sizes import choose_sizes
from pages.components.widgets.drawing.figure import show_figures


def _show_heatmap() -> None:
    length, width = choose_sizes()
    show_figures(
        encoding_figures(sinusoidal_encoding(length, width)),
        alt=f"Heatmap of the encoding: {length} positions, {width} channels",
        key="encoding",
        across=2,
    )
    positions, channels = cell_size(length, width)
    if positions > 1 or channels > 1:
        st.caption(
            f"It is too large for a screen: each cell of the picture is the mean of {positions} positions × {channels} "
            "channels, so waves shorter than a cell fade to 0."
        )


HEATMAP = View(_show_heatmap, (sinusoidal_encoding,))
