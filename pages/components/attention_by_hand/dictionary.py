"""Attention as a soft dictionary lookup."""

from __future__ import annotations

import streamlit as st

from core.figures.softmax import fuzzy_dictionary_figure
from core.theory.fuzzy_dictionary import ENTRIES, fuzzy_look_up
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.numbers import slider


def _show_dictionary() -> None:
    left, right = st.columns(2)
    with left:
        degrees = slider("Direction of the query, degrees", 0, 90, 72, "query")
    with right:
        strength = slider(
            "Length of the query",
            1,
            40,
            10,
            "strength",
            help="The longer, the more attention the best key gets.",
        )
    weights, answer = fuzzy_look_up(degrees, strength)
    st.markdown(
        "How many legs does a *kitten* have? An ordinary dictionary has only `fish`, `hen`, `dog` and `cat`, so the "
        f"lookup fails. In a soft lookup every key answers, the more similar ones with more weight: **{answer:.2f} "
        "legs**."
    )
    show_figure(
        fuzzy_dictionary_figure(degrees, weights.tolist()),
        alt="Attention weight of each key: "
        + ", ".join(f"{entry.name} {weight:.0%}" for entry, weight in zip(ENTRIES, weights, strict=True)),
        key="dictionary",
    )


DICTIONARY = View(_show_dictionary, (fuzzy_look_up,))
