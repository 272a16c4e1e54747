"""An exercise: a question to answer on the page, checked at once. Nobody's answer is stored or sent anywhere."""

from __future__ import annotations

import streamlit as st

from core.classroom.settings import server_settings
from pages.components.app.content import ChoiceExercise, Exercise, NumberExercise
from pages.components.widgets import remembered
from pages.components.widgets.numbers import empty_number

CLOSING_TURN = (
    "closing_turn"  # of st.session_state: how often other questions were asked for at a lesson's end
)
_CLOSING = "closing_"  # before the keys of what is asked there


def exercises_are_on() -> bool:
    """Whether this server asks anything."""
    return server_settings().exercises


def offer_exercise(exercise: Exercise | None) -> None:
    """Ask it where this server asks anything."""
    if exercise is not None and exercises_are_on():
        show_exercise(exercise)


@st.fragment  # an answer draws nothing else of the page anew
def show_exercise(exercise: Exercise) -> None:
    """The question, what to answer it with, and what comes of the answer."""
    ask_exercise(exercise)


def ask_exercise(exercise: Exercise, closes: bool = False) -> bool | None:
    """As `show_exercise`, in the fragment of the caller; whether the answer is right, None while there is none.

    Args:
        exercise: to do.
        closes: whether it is asked at a lesson's end, where its page may ask it too.
    """
    key = f"{_CLOSING if closes else ''}{exercise.key}"
    with st.container(border=True):
        st.markdown(f"**Exercise.** {exercise.question}")
        right = _ask(exercise, key)
        if not right and remembered.toggle("Show the answer", False, f"{key}_shown", in_address=False):
            st.info(f"**{exercise.shown_answer}.** {exercise.why}", icon=":material/lightbulb:")
    return right


def _ask(exercise: Exercise, key: str) -> bool | None:
    """Let people answer and say how it went; returns whether the answer is right, None while there is none."""
    if isinstance(exercise, ChoiceExercise):
        chosen = remembered.list_choice(exercise.question, exercise.options, key)
        if chosen is None:
            return None
        right, hint = exercise.is_right(chosen), exercise.wrong.get(chosen, "")
    else:
        typed = empty_number("Your answer", key)
        if typed is None:
            return None
        right, hint = exercise.is_right(typed), exercise.hint
    if right:
        exact = f"It is {exercise.shown_answer}. " if isinstance(exercise, NumberExercise) else ""
        st.success(f"**Right.** {exact}{exercise.why}", icon=":material/check:")
    else:
        st.warning(f"**Not quite.** {hint}", icon=":material/refresh:")
    return right
