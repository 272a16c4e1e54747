"""How similar one position is to all others."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.figures.positions import dot_products_figure
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
    # float32 sines would let a neighbour win by rounding alone.
    products = dot_products(sinusoidal_encoding(length, width), position).round(4)
    highest = products.max()
    peak = position if products[position] == highest else int(products.argmax())
    show_figure(
        dot_products_figure(products, position),
        alt=f"Dot product of position {position} with all others, highest at {peak}",
        key="dot_products",
    )
    if peak == position and highest > 0:
        st.success(
            f"Position {position:,} is most similar to itself: its dot product is **{highest:,.1f}**. "
            f"{_around(products, position)}",
            icon=":material/center_focus_strong:",
        )


def _around(products: NDArray[np.float64], position: int) -> str:
    distance = np.abs(np.arange(len(products)) - position)
    if products[distance > 1].max(initial=-np.inf) >= products[distance <= 1].min():
        return "With so few waves it rises again at a distance; more channels prevent that."
    return "It falls with the distance, with ripples."


DOT_PRODUCTS = View(_show_dot_products, (dot_products,))
