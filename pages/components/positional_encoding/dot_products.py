"""How similar one position is to all others."""

from __future__ import annotations

import streamlit as st

from core.figures.positions import DotProductsInfo, dot_products_figure, dot_products_info
from core.theory.positional_encoding import dot_products, sinusoidal_encoding
from pages.components.lesson.view import View
from pages.components.positional_encoding.sizes import choose_sizes
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.numbers import slider

_POSITION = 1000  # at first


def _show_dot_products() -> None:
    length, width = choose_sizes()
    if length == 1:
        st.info(
            "With a single position there is none to compare it with. Choose a greater length.",
            icon=":material/edit:",
        )
        return
    position = slider("Position p", 0, length - 1, _POSITION, "position")
    info = dot_products_info(sinusoidal_encoding(length, width), position)
    show_figure(
        dot_products_figure(info),
        alt=f"Dot product of position {position} with all others, highest at {info.peak}",
        key="dot_products",
    )
    if info.peak == position and info.highest > 0:
        st.success(
            f"Position {position:,} is most similar to itself: its dot product is **{info.highest:,.1f}**. "
            f"{_around(info)}",
            icon=":material/center_focus_strong:",
        )


def _around(info: DotProductsInfo) -> str:
    if info.comes_back:
        return "With so few waves it rises again at a distance; more channels prevent that."
    return "It falls with the distance, with ripples."


DOT_PRODUCTS = View(_show_dot_products, (dot_products,))
