"""Exercises: questions that follow a figure, and those that are asked before and after a lesson."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import streamlit as st

from core.language import N_, _, language
from core.records.question import MAX_TYPED, Answer, Question
from core.server.room import Room
from core.server.settings import server_settings
from pages.components.frame.visit import Visit
from pages.components.widgets.state import has_changed
from pages.content.lesson_plan import LessonPlan, closing_questions

ABOUT_BEFORE = N_("You will see these again at the end. A guess is fine.")


def asked_before(plan: LessonPlan, room: Room) -> list[Question]:
    """Return the questions that a class is asked before a lesson: none once it has begun, or an end has asked them."""

    def is_open(question: Question) -> bool:
        before = room.tally("", question.at("before"))
        return before.state == "asked" and not room.tally("", question).answered

    return [question.at("before") for page, question in closing_questions(plan) if is_open(question)]


def begin_in_class(plan: LessonPlan, room: Room) -> None:
    """Have a class asked anew all that a lesson asks; only what was just asked before it is kept."""
    closing = [question for page, question in closing_questions(plan)]
    before = [question.at("before") for question in closing]
    pairs = zip(closing, before, strict=True)
    anew: list[Question] = [each for pair in pairs for each in pair if room.tally("", pair[0]).answered]
    anew += [each for step in plan.shown for each in (step.prediction, *step.exercises) if each]
    room.begin_lesson(anew, before)


def ask_before(visit: Visit, question: Question) -> None:
    """Ask a closing question before the lesson: without saying what is right."""
    with st.container(border=True):
        st.markdown(question.question)
        _answer_widget(visit, question)


def offer_exercise(visit: Visit, exercise: Question | None) -> None:
    """Show an exercise where this server shows exercises; an answer redraws only this part of the page."""
    if exercise is not None and server_settings().exercises:
        st.fragment(ask_exercise)(visit, exercise)


def ask_exercise(visit: Visit, exercise: Question) -> bool | None:
    """Ask a question; return whether the answer is right, None while there is none."""
    with st.container(border=True):
        st.markdown(_("**Exercise.** {question}").format(question=exercise.question))
        answer = _answer_widget(visit, exercise)
        if answer is not None:
            _tell(answer)
        is_right = None if answer is None else answer.is_right
        shown = f"{exercise.key}_shown"
        may_look = exercise.moment != "closing" or visit.seat is None  # a class is asked what it knows
        if may_look and not is_right and st.toggle(_("Show the answer"), key=shown, persist_state="session"):
            st.info(f"**{exercise.right}.** {exercise.why}", icon=":material/lightbulb:")
    return is_right


def _tell(answer: Answer) -> None:
    """Say whether an answer is right."""
    if answer.is_right:
        st.success(said_to(answer), icon=":material/check:")
    else:
        st.warning(said_to(answer), icon=":material/refresh:")


def said_to(answer: Answer) -> str:
    """Return what is said to an answer, in Markdown: where it was typed, with the right one itself."""
    question = answer.question
    if not answer.is_right:
        return _("**Not quite.** {hint}").format(hint=question.hint_for(answer))
    if answer.typed:
        return _("**Right.** It is {answer}. {why}").format(answer=question.right, why=question.why)
    return _("**Right.** {why}").format(why=question.why)


def _answer_widget(visit: Visit, question: Question) -> Answer | None:
    """Show the answers, or a box for one; return the answer, None before. A new one is noted when it is given."""
    key = question.key
    # A reloaded tab has its id again a moment after it has drawn this. A browser knows what was chosen by its words, and
    # in another language the same digits may be another number. A class is asked anew in each lesson.
    asked = (visit.workspace.id, visit.asked_in, language().code, *question.options)
    if has_changed(f"{key}_asked", asked) or key not in st.session_state:
        st.session_state[key] = question.in_box(visit.counted_tally(question).own_last)
    given = _BOXES[question.kind](question, partial(_note, visit, question))
    if given is None:
        return None
    try:
        return question.read(given)
    except ValueError as error:
        st.caption(str(error))
        return None


def _note(visit: Visit, question: Question) -> None:
    """Note what has just been given, unless it is no answer: then its box says so."""
    with suppress(ValueError):
        visit.answer(question.read(st.session_state[question.key]))


def _choose(question: Question, note: Callable[[], None]) -> int | None:
    """Show the answers as a choice; return the number of the chosen one."""
    chosen: int | None = st.radio(
        question.question,
        range(len(question.options)),
        index=None,
        format_func=question.options.__getitem__,
        key=question.key,
        label_visibility="collapsed",
        persist_state="session",
        on_change=note,
    )
    return chosen


def _type(question: Question, note: Callable[[], None]) -> str | None:
    """Show a box to type in; return what was typed, None before."""
    # Not `st.number_input`: a browser whose own language has no decimal comma reads 0,5 as 5.
    typed = st.text_input(
        _("Your answer"),
        max_chars=MAX_TYPED,
        key=question.key,
        placeholder=_(question.asks_for),
        width=240,
        persist_state="session",
        on_change=note,
    )
    return typed or None


# How each kind of question is asked on a page.
_BOXES: Mapping[str, Callable[[Question, Callable[[], None]], int | str | None]] = {
    "choice": _choose,
    "typed": _type,
}
