"""Attention told as a dictionary that is not strict."""

from __future__ import annotations

import streamlit as st

from core.figures.fuzzy_dictionary import fuzzy_dictionary_figure, fuzzy_dictionary_info
from core.theory.fuzzy_dictionary import fuzzy_look_up
from pages.components.attention_by_hand.formulas import ATTENTION
from pages.components.lesson.explanation import Lesson
from pages.components.lesson.view import View
from pages.components.widgets.figure import show_figure


def _show_dictionary() -> None:
    left, right = st.columns(2)
    degrees = left.slider("Where the query points, degrees", 0, 90, 72, key="query", bind="query-params")
    strength = right.slider(
        "How strong the query is", 1, 40, 10, key="strength", bind="query-params",
        help="The length of the query. The stronger, the more the best key gets.",
    )  # fmt: skip
    info = fuzzy_dictionary_info(degrees, strength)
    st.markdown(
        "How many legs has a *kitten*? An ordinary dictionary has only `fish`, `hen`, `dog` and `cat`, so it "
        f"fails. The fuzzy one lets every key answer, the nearer the louder: **{info.answer:.2f} legs**."
    )
    show_figure(
        fuzzy_dictionary_figure(info),
        alt="Share of each key: "
        + ", ".join(f"{name} {weight:.0%}" for name, weight in zip(info.names, info.weights, strict=True)),
        key="dictionary",
    )


DICTIONARY = View(
    "Fuzzy dictionary",
    _show_dictionary,
    Lesson(
        notice="A dictionary compares the question with its keys and hands out the value of the one that is equal. "
        "Attention compares too, but gives every value its share: the more alike query and key, the larger. "
        "A strong query makes it an ordinary dictionary again.",
        formulas=(ATTENTION,),
        code=(fuzzy_look_up,),
        question="Turn the query to 45°, half-way between hen and dog. How many legs, and why?",
        answer="About 2.8. Hen (2 legs) and dog (4 legs) get 40 % each; fish (0) and cat (4) share the rest. No animal "
        "has 2.8 legs: attention mixes, it does not choose.",
    ),
)
