"""The triangle that hides the future."""

from __future__ import annotations

import streamlit as st

from core.figures.masks import mask_figures
from core.theory.masks import causal_mask
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.numbers import slider

MAX_LENGTH = 16


def _show_causal() -> None:
    length = slider("Length", 1, MAX_LENGTH, 7, "triangle")
    mask = causal_mask(length)
    st.markdown(f"**{int((~mask).sum())} of {mask.size} positions are blocked:** all those in the future.")
    positions = [str(position) for position in range(length)]
    show_figures(
        mask_figures({"": mask}, positions),
        alt=f"The {length} by {length} causal mask, a triangle",
        key="mask",
        across=1,
    )


CAUSAL = View(_show_causal, (causal_mask,))
