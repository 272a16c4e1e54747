"""Why scores are divided by the root of d_k."""

from __future__ import annotations

import streamlit as st

from core.figures.softmax import WIDTHS, score_scale_figure
from core.theory.score_scale import entropy, score_scale
from pages.components.lesson.exercises import attention_by_hand as exercises
from pages.components.lesson.explanation import Formula, Lesson
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


SCALE = View(
    "Why √d_k",
    _show_scale,
    Lesson(
        notice="A score is a sum of d_k products, so its standard deviation grows as √d_k. Without scaling, a large "
        "d_k pushes the softmax toward choosing one key, where its gradient is almost 0 and training stalls. With "
        "scaling, its entropy stays about the same at any width.",
        formulas=(
            Formula(
                r"\mathrm{Var}(q \cdot k) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_i) = d_k",
                "For independent numbers of mean 0 and variance 1: Vaswani et al. 2017, section 3.2.1, footnote 4",
            ),
            Formula(
                r"H = -\sum_j a_j \log_2 a_j", "Entropy of the attention weights a, in bits (Shannon 1948)"
            ),
        ),
        code=(score_scale.__wrapped__, entropy),
        exercise=exercises.SCALE,
    ),
)
