"""The triangle that hides the future."""

from __future__ import annotations

import streamlit as st

from core.figures.masks import mask_info
from core.theory.masks import causal_mask
from pages.components.lesson.exercises import masks as exercises
from pages.components.lesson.explanation import Formula, Lesson
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


CAUSAL = View(
    "Causal mask",
    _show_causal,
    Lesson(
        notice="Each position (row) may attend to itself and to the positions before it. The future is blocked, so the "
        "open positions form a triangle. Only the decoder needs this mask, which is also called the look-ahead mask: "
        "the encoder may read its whole sentence.",
        formulas=(
            Formula(
                r"m_{t,s} = \begin{cases} \text{True} & s \le t \\ \text{False} & s > t \end{cases}",
                "Vaswani et al. 2017, section 3.2.3",
            ),
        ),
        code=(causal_mask,),
        exercise=exercises.CAUSAL,
    ),
)
