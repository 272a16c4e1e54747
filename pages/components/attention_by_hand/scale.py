"""Why scores are divided by the root of d_k."""

from __future__ import annotations

import streamlit as st

from core.figures.softmax import WIDTHS, score_scale_figure
from core.theory.score_scale import entropy, score_scale
from pages.components.lesson.view import View
from pages.components.widgets import remembered
from pages.components.widgets.drawing.figure import show_figure


def _show_scale() -> None:
    d_k = remembered.choose("d_k: numbers in a query and in a key", WIDTHS, "d_k", default=64, look="slider")
    chosen = score_scale(d_k)
    st.markdown(
        f"Scores of random queries and keys have a standard deviation of **{chosen.spread:.1f}**, about √{d_k:,}. The "
        f"entropy of the softmax is **{chosen.raw_entropy:.2f} bits** without scaling, "
        f"**{chosen.scaled_entropy:.2f} bits** with it."
    )
    show_figure(
        score_scale_figure(chosen),
        alt=f"Entropy of the softmax over d_k; at {d_k}: {chosen.raw_entropy:.2f} and {chosen.scaled_entropy:.2f} bits",
        key="scale",
    )


SCALE = View(_show_scale, (score_scale.__wrapped__, entropy))
