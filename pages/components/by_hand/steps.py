"""Attention cell by cell."""

from __future__ import annotations

import streamlit as st

from core.figures.attention_steps import attention_steps_html, attention_steps_info
from core.theory.attention_steps import AttentionSteps
from pages.components.bounded_slider import bounded_slider

MAX_WORDS = 4


def choose_count() -> int:
    """How many words there are."""
    count = st.segmented_control(
        "How many words", [2, 3, MAX_WORDS], default=3, required=True, key="count", bind="query-params"
    )
    return count or 3


def show_steps(record: AttentionSteps, key: str) -> None:
    """The cell that is being computed, its calculation, and all tables as they stand then."""
    info = attention_steps_info(record)
    last = len(info.steps)
    slider, buttons = st.columns([3, 2], vertical_alignment="bottom")
    with slider:
        number = bounded_slider(f"Step of {last}", 1, last, last, key)
    with buttons, st.container(horizontal=True):
        st.button(
            "Back", icon=":material/chevron_left:", on_click=_go, args=(key, number - 1), disabled=number == 1
        )
        st.button(
            "Next",
            icon=":material/chevron_right:",
            on_click=_go,
            args=(key, number + 1),
            disabled=number == last,
        )
    step = info.steps[number - 1]
    st.markdown(f"**{step.saying}**")
    st.latex(step.calculation)
    st.html(attention_steps_html(info, number))


def _go(key: str, number: int) -> None:
    st.session_state[key] = number
