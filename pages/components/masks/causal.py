"""The triangle that hides the future."""

from __future__ import annotations

import streamlit as st

from core.figures.masks import mask_info
from core.theory.masks import causal_mask
from pages.components.lesson.view import View
from pages.components.masks.panels import show_masks
from pages.components.widgets.numbers import slider

MAX_LENGTH = 16


def _show_causal() -> None:
    length = slider("Length", 1, MAX_LENGTH, 7, "triangle")
    mask = causal_mask(length)
    st.markdown(f"**{int((~mask).sum())} of {mask.size} positions are blocked:** all those in the future.")
    positions = [str(position) for position in range(length)]
    info = mask_info("", mask, positions, positions)
    show_masks([info], f"The {length} by {length} causal mask, a triangle")


CAUSAL = View(_show_causal, (causal_mask,))
