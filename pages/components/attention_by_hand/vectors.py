"""Attention of words that are small vectors."""

from __future__ import annotations

import streamlit as st

from core.figures.number_tables import numbered
from core.theory.attention import softmax
from core.theory.attention_steps import attention_steps
from pages.components.attention_by_hand.steps import choose_count, editors_and_steps, show_attention_steps
from pages.components.lesson.number_editor import Rows, edit_numbers, show_reset
from pages.components.lesson.view import View

_VECTORS: Rows = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.5))
_KERNELS: dict[str, Rows] = {
    "wq": ((1.0, 0.0), (0.0, 2.0)),
    "wk": ((2.0, 0.0), (0.0, 1.0)),
    "wv": ((10.0, 0.0), (0.0, 10.0)),
}


def _show_vectors() -> None:
    left, right = editors_and_steps()
    with left:
        count = choose_count()
        words = edit_numbers(
            "vectors", _VECTORS, numbered("x", count), numbered("d", 2), "The words, two numbers each"
        )
        with st.expander("Change the weights", icon=":material/tune:"):
            kernels = [
                edit_numbers(key, kernel, numbered("d", 2), numbered("d", 2), f"W_{key[-1].upper()}")
                for key, kernel in _KERNELS.items()
            ]
        show_reset({"vectors": _VECTORS, **_KERNELS})
    with right:
        show_attention_steps(attention_steps(words, *kernels), "vector_step")


VECTORS = View(_show_vectors, (attention_steps, softmax), is_long=True)
