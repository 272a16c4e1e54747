"""Three questions that close a lesson, drawn from the exercises of its pages."""

from __future__ import annotations

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
from pages.components.lesson.exercise import Exercise, ask_exercise, exercises_are_on
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
from pages.components.lesson.routes import LessonPlan

QUESTIONS = 3
ANCHOR = "three-questions"  # of their heading, for a link on the same page
_TURN = "closing_turn"  # of st.session_state: how often others were asked for

CLOSING: dict[PageEntry, tuple[Exercise, ...]] = {
    ARCHITECTURE: (architecture.FLOW, architecture.PICTURE, architecture.EVERY_LAYER),
    TEXT_AS_NUMBERS: (text_as_numbers.SUBWORDS, text_as_numbers.LENGTHS, text_as_numbers.TEACHER_FORCING),
    POSITIONAL_ENCODING: (
        positional_encoding.HEATMAP,
        positional_encoding.WAVES,
        positional_encoding.LEARNED,
    ),
    ATTENTION_BY_HAND: (attention_by_hand.NUMBERS, attention_by_hand.HEADS),
    MASKS: (masks.WITHOUT_PADDING, masks.CAUSAL, masks.SOFTMAX, masks.CHEATING),
    LEARNING_RATE: (learning_rate.WARMUP,),
    TRAIN: (models.TRAIN_BY_HEART, models.TRAIN_STEPS),
    TRANSLATE: (models.TRANSLATE_GREEDY, models.TRANSLATE_END),
    ATTENTION_MAPS: (models.MAPS_TRIANGLE, models.MAPS_ROW, attention_maps.ALIGNMENT),
    DECODING: (decoding.GREEDY, decoding.BEAM, decoding.SAMPLING),
    INSIDE: (inside.HEADS, inside.SOURCE, inside.HONEST),
    EVALUATE: (models.EVALUATE_UNSEEN,),
}
"""What can be answered without the page before one's eyes."""


def closing_questions(plan: LessonPlan, turn: int) -> list[tuple[PageEntry, Exercise]]:
    """From all over a lesson, and the same for the whole class.

    Args:
        plan: the lesson.
        turn: 0 for the first three, 1 for three others, and so on; after all of them it begins anew.

    Returns:
        Each with the page that it is about, in the lesson's order; fewer where this server shows few pages.
    """
    every = [(stop.page, exercise) for stop in plan.shown for exercise in CLOSING.get(stop.page, ())]
    stride = max(1, len(every) // QUESTIONS)
    return [every[part * stride + turn % stride] for part in range(min(QUESTIONS, len(every)))]


def show_closing(plan: LessonPlan) -> None:
    """The three questions, and a button for others."""
    turn: int = st.session_state.setdefault(_TURN, 0)
    questions = closing_questions(plan, turn)
    if not exercises_are_on() or not questions:
        return
    heading, others = st.columns([4, 1], vertical_alignment="bottom")
    heading.subheader("Three questions" if len(questions) == QUESTIONS else "To close", anchor=ANCHOR)
    others.button("Others", icon=":material/shuffle:", key="closing_others", on_click=_ask_others)
    _ask(questions)


@st.fragment  # an answer draws nothing else of the page anew
def _ask(questions: list[tuple[PageEntry, Exercise]]) -> None:
    """The questions beside each other, and below them how many are answered rightly."""
    answers = []
    for column, (page, exercise) in zip(st.columns(len(questions)), questions, strict=True):
        with column:
            st.caption(f"{page.icon} {page.title}")
            answers.append(ask_exercise(exercise, place="closing_"))
    score = f"**{sum(map(bool, answers))} of {len(answers)} right.**"
    if all(answers):
        st.success(f"{score} That is the lesson.", icon=":material/trophy:")
    elif None not in answers:
        st.info(
            f"{score} The hint below an answer says what to think of; try again.",
            icon=":material/refresh:",
        )


def _ask_others() -> None:
    st.session_state[_TURN] += 1
