"""Three questions that close a lesson, drawn from the exercises of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

import streamlit as st

from pages.components.app.content import PAGE_TEXTS, Exercise
from pages.components.app.menu import PageEntry
from pages.components.lesson.exercise import CLOSING_TURN, ask_exercise, exercises_are_on
from pages.components.lesson.plan import LessonPlan

QUESTIONS = 3
ANCHOR = "three-questions"  # of their heading, for a link on the same page


def closing_questions(plan: LessonPlan, turn: int) -> list[tuple[PageEntry, Exercise]]:
    """From all over a lesson, and the same for the whole class.

    Args:
        plan: the lesson.
        turn: 0 for the first three, 1 for three others, and so on; after all of them it begins anew.

    Returns:
        Each with the page that it is about, in the lesson's order; fewer where this server shows few pages.
    """
    pages = [step.page for step in plan.shown if _questions(step.page)]
    parts = min(QUESTIONS, len(pages))
    bounds = [len(pages) * part // parts for part in range(parts + 1)] if parts else []
    return [_drawn(pages[begin:end], turn) for begin, end in pairwise(bounds)]


def _questions(page: PageEntry) -> tuple[Exercise, ...]:
    return PAGE_TEXTS[page.address].closing


def _drawn(pages: Sequence[PageEntry], turn: int) -> tuple[PageEntry, Exercise]:
    """Of a part of a lesson: the first question of each page, then the second of each, and so on."""
    rounds = zip_longest(*([(page, exercise) for exercise in _questions(page)] for page in pages))
    every = [asked for each in rounds for asked in each if asked is not None]
    return every[turn % len(every)]


def show_closing(plan: LessonPlan) -> None:
    """The three questions, and a button for others."""
    turn: int = st.session_state.setdefault(CLOSING_TURN, 0)
    questions = closing_questions(plan, turn)
    if not exercises_are_on() or not questions:
        return
    heading, others = st.columns([4, 1], vertical_alignment="bottom")
    heading.subheader("Three questions" if len(questions) == QUESTIONS else "To close", anchor=ANCHOR)
    others.button("Other questions", icon=":material/shuffle:", key="closing_others", on_click=_ask_others)
    _ask(questions)


@st.fragment  # an answer draws nothing else of the page anew
def _ask(questions: list[tuple[PageEntry, Exercise]]) -> None:
    """The questions beside each other, and below them how many are answered rightly."""
    answers = []
    for column, (page, exercise) in zip(st.columns(len(questions)), questions, strict=True):
        with column:
            st.caption(f"{page.icon} {page.title}")
            answers.append(ask_exercise(exercise, closes=True))
    score = f"**{sum(map(bool, answers))} of {len(answers)} right.**"
    if all(answers):
        st.success(f"{score} You have finished the lesson.", icon=":material/trophy:")
    elif None not in answers:
        st.info(
            f"{score} The hint below an answer says what to think about; try again.",
            icon=":material/refresh:",
        )


def _ask_others() -> None:
    st.session_state[CLOSING_TURN] = st.session_state.get(CLOSING_TURN, 0) + 1
