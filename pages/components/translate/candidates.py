from __future__ import annotations

import streamlit as st

from core.figures.decoding import candidates_figure
from core.records import Translation
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.remembered import choose

_STEPS_AT_ONCE = 14  # that can be read side by side


def show_candidates(translation: Translation) -> None:
    """The most likely tokens of each step; of a long sentence, some steps at a time."""
    if translation.attention is None:
        return
    tokens = translation.attention.predicted_tokens
    parts = range(0, len(tokens), _STEPS_AT_ONCE)
    first = 0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Top-5 candidates per step**, with probabilities:", width="content")
        if len(parts) > 1:
            first = choose(
                "Steps",
                {start: f"{start + 1}–{min(start + _STEPS_AT_ONCE, len(tokens))}" for start in parts},
                key=f"steps_{len(tokens)}",
                address="steps",
                hide_label=True,
            )
    last = min(first + _STEPS_AT_ONCE, len(tokens))

    figure = candidates_figure(tokens[first:last], translation.candidates[first:last], first + 1)
    show_figure(figure, alt="The five most likely tokens of each step", key="candidates")
