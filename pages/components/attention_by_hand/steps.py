"""Attention cell by cell."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures.attention_steps import attention_steps_html, cell_steps
from core.theory.attention_steps import AttentionSteps
from pages.components.lesson.stepper import choose_step
from pages.components.widgets import remembered
from pages.components.widgets.page.presenting import is_presenting

MAX_WORDS = 4


def choose_count() -> int:
    """How many words there are."""
    return remembered.choose("How many words", (2, 3, MAX_WORDS), "count", default=3)


def editors_and_steps() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two columns: what is changed is seen in the tables beside it, without scrolling."""
    left, right = st.columns([2, 5], gap="medium")
    return left, right


def show_attention_steps(record: AttentionSteps, key: str) -> None:
    """The cell that is computed in a step, its calculation, and all tables so far."""
    steps = cell_steps(record)
    last = len(steps)
    # A presenter goes through the steps; who reads alone begins with what they come to.
    number = choose_step(last, key, first=1 if is_presenting() else last)
    step = steps[number - 1]
    saying, calculation = st.columns([2, 3], vertical_alignment="center")
    saying.markdown(f"**{step.saying}**")
    calculation.latex(step.calculation)
    st.html(attention_steps_html(record, steps, number))
