"""Exercises: questions that follow a figure, and those that are asked before and after a lesson."""

from typing import Any

import streamlit as st

from core.language import N_, _, language, read_number
from core.records.room import Question
from core.server.room import Room
from core.server.settings import server_settings
from pages.components.frame.visit import Visit
from pages.components.widgets.state import has_changed
from pages.content.lesson_plan import LessonPlan, closing_questions
from pages.content.reader import BEFORE, CLOSING, ChoiceQuestion, Exercise, NumberQuestion

ABOUT_BEFORE = N_("You will see these again at the end. A guess is fine.")


def before_and_after(exercise: Exercise) -> tuple[Question, Question]:
    """Return a closing question as it is asked before and after a lesson."""
    return exercise.counted(BEFORE), exercise.counted(CLOSING)


def asked_before(plan: LessonPlan, room: Room) -> list[Exercise]:
    """Return the questions that a class is asked before a lesson: none once it has begun, or an end has asked them."""

    def is_open(exercise: Exercise) -> bool:
        before, after = (room.tally("", question) for question in before_and_after(exercise))
        return not before.are_shown and not after.answered

    return [exercise for page, exercise in closing_questions(plan) if is_open(exercise)]


def begin_in_class(plan: LessonPlan, room: Room) -> None:
    """Have a class asked anew all that a lesson asks; only what was just asked before it is kept."""
    pairs = [before_and_after(exercise) for page, exercise in closing_questions(plan)]
    anew = [question for pair in pairs for question in pair if room.tally("", pair[1]).answered]
    anew += [each.counted() for step in plan.shown for each in (step.prediction, *step.exercises) if each]
    room.begin_lesson(anew, [before for before, after in pairs])


def ask_before(visit: Visit, exercise: Exercise) -> None:
    """Ask a closing question before the lesson: without saying what is right."""
    with st.container(border=True):
        st.markdown(exercise.question)
        given = _answer_widget(exercise, f"{BEFORE}{exercise.key}")
    if given is not None:
        _answer(visit, exercise, given, BEFORE)


def _answer(visit: Visit, exercise: Exercise, given: Any, prefix: str = "") -> None:
    typed = f"{given:.10g}" if isinstance(exercise, NumberQuestion) else ""
    visit.answer(exercise.counted(prefix), exercise.counted_option(given), typed)


def offer_exercise(visit: Visit, exercise: Exercise | None) -> None:
    """Show an exercise where this server shows exercises; an answer redraws only this part of the page."""
    if exercise is not None and server_settings().exercises:
        st.fragment(ask_exercise)(visit, exercise)


def ask_exercise(visit: Visit, exercise: Exercise, closes: bool = False) -> bool | None:
    """Ask a question; return whether the answer is right, None while there is none.

    Args:
        visit: on the page that asks.
        exercise: the question.
        closes: whether it is asked at the end of a lesson; its page may ask it too.
    """
    key = f"{CLOSING if closes else ''}{exercise.key}"
    with st.container(border=True):
        st.markdown(_("**Exercise.** {question}").format(question=exercise.question))
        right = _ask(visit, exercise, key)
        if not right and st.toggle(_("Show the answer"), key=f"{key}_shown", persist_state="session"):
            st.info(f"**{exercise.shown_answer}.** {exercise.why}", icon=":material/lightbulb:")
    return right


def _ask(visit: Visit, exercise: Exercise, key: str) -> bool | None:
    """Show the answers and check the chosen one; return whether it is right, None while there is none."""
    given = _answer_widget(exercise, key)
    if given is None:
        return None
    right = exercise.is_right(given)
    _answer(visit, exercise, given, key.removesuffix(exercise.key))
    visit.memory.exercise_answers[key] = st.session_state[key]
    if right:
        said = _("**Right.** {why}").format(why=exercise.why)
        if isinstance(exercise, NumberQuestion):
            right_answer = _("**Right.** It is {answer}. {why}")
            said = right_answer.format(answer=exercise.shown_answer, why=exercise.why)
        st.success(said, icon=":material/check:")
    else:
        said = _("**Not quite.** {hint}").format(hint=exercise.hint_for(given))
        st.warning(said, icon=":material/refresh:")
    return right


def _answer_widget(exercise: Exercise, key: str) -> Any:
    """Show the answers, or a box for a number; return the number of the answer or the one typed, None before."""
    if isinstance(exercise, ChoiceQuestion):
        options = exercise.options
        chosen = f"{key}_chosen"
        # A browser knows what was chosen by its words, which may have been another language's.
        if has_changed(f"{key}_options", options):
            st.session_state[key] = st.session_state.get(chosen)
        st.session_state[chosen] = st.radio(
            exercise.question,
            range(len(options)),
            index=None,
            format_func=options.__getitem__,
            key=key,
            label_visibility="collapsed",
            persist_state="session",
        )
        return st.session_state[chosen]
    number_read = f"{key}_number"
    # In another language the same digits may be another number.
    is_other = has_changed(f"{key}_language", language().code)
    if is_other and st.session_state.get(key) and number_read in st.session_state:
        st.session_state[key] = language().number(f"{st.session_state[number_read]:.10g}")
    # Not `st.number_input`: a browser whose own language has no decimal comma reads 0,5 as 5.
    typed = st.text_input(
        _("Your answer"),
        max_chars=40,
        key=key,
        placeholder=_("A number"),
        width=240,
        persist_state="session",
    )
    if not typed:
        return None
    try:
        st.session_state[number_read] = read_number(typed)
        return st.session_state[number_read]
    except ValueError:
        st.caption(_("Type a number, like 12 or 0.5."))
        return None
