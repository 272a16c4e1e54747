"""Three questions that close a lesson, drawn from the exercises of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

import streamlit as st

from pages.components.app.menu import (
    ARCHITECTURE,
    ATTENTION_BY_HAND,
    ATTENTION_MAPS,
    DECODING,
    EVALUATE,
    INSIDE,
    LEARNING_RATE,
    MASKS,
    POSITIONAL_ENCODING,
    TEXT_AS_NUMBERS,
    TRAIN,
    TRANSLATE,
    PageEntry,
)
from pages.components.lesson.exercise import CLOSING_TURN, Exercise, ask_exercise, exercises_are_on
from pages.components.lesson.exercises import (
    architecture,
    attention_by_hand,
    attention_maps,
    decoding,
    inside,
    learning_rate,
    masks,
    models,
    positional_encoding,
    text_as_numbers,
)
from pages.components.lesson.plan import LessonPlan

QUESTIONS = 3
ANCHOR = "three-questions"  # of their heading, for a link on the same page

CLOSING: dict[PageEntry, tuple[Exercise, ...]] = {
    ARCHITECTURE: (architecture.FLOW, architecture.EVERY_LAYER, architecture.PICTURE),
    TEXT_AS_NUMBERS: (text_as_numbers.TEACHER_FORCING, text_as_numbers.SUBWORDS),
    POSITIONAL_ENCODING: (
        positional_encoding.HEATMAP,
        positional_encoding.LEARNED,
        positional_encoding.WAVES,
    ),
    ATTENTION_BY_HAND: (attention_by_hand.HEADS, models.MORE_HEADS, attention_by_hand.NUMBERS),
    MASKS: (masks.CAUSAL, masks.SOFTMAX, masks.CHEATING, masks.WITHOUT_PADDING),
    LEARNING_RATE: (learning_rate.LINEAR, learning_rate.WARMUP),
    TRAIN: (models.TRAIN_BY_HEART, models.TRAIN_STEPS),
    TRANSLATE: (models.TRANSLATE_GREEDY, models.TRANSLATE_END),
    ATTENTION_MAPS: (models.MAPS_TRIANGLE, models.MAPS_ROW, attention_maps.ALIGNMENT),
    DECODING: (decoding.BEAM, decoding.SAMPLING, decoding.GREEDY),
    INSIDE: (inside.HEADS, inside.SOURCE, inside.HONEST),
    EVALUATE: (models.EVALUATE_UNSEEN,),
}
"""What can be answered without the page before one's eyes; a question that a lesson's step asks on its page is last."""


def closing_questions(plan: LessonPlan, turn: int) -> list[tuple[PageEntry, Exercise]]:
    """From all over a lesson, and the same for the whole class.

    Args:
        plan: the lesson.
        turn: 0 for the first three, 1 for three others, and so on; after all of them it begins anew.

    Returns:
        Each with the page that it is about, in the lesson's order; fewer where this server shows few pages.
    """
    pages = [stop.page for stop in plan.shown if stop.page in CLOSING]
    parts = min(QUESTIONS, len(pages))
    bounds = [len(pages) * part // parts for part in range(parts + 1)] if parts else []
    return [_drawn(pages[begin:end], turn) for begin, end in pairwise(bounds)]


def _drawn(pages: Sequence[PageEntry], turn: int) -> tuple[PageEntry, Exercise]:
    """Of a part of a lesson: the first question of each page, then the second of each, and so on."""
    rounds = zip_longest(*([(page, exercise) for exercise in CLOSING[page]] for page in pages))
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
