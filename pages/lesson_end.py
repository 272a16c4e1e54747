"""The last step of every lesson: three questions, and where to go from here."""

from collections.abc import Iterable, Sequence
from functools import partial

import streamlit as st

from core.language import N_, _, ngettext
from core.records.question import Question
from core.records.room import Tally
from core.server.room import Seat
from core.server.settings import server_settings
from pages.components.explaining.exercise import ask_exercise
from pages.components.explaining.prediction import show_votes
from pages.components.explaining.view import show_heading
from pages.components.frame.menu import link_to
from pages.components.frame.presenting import LEADS_ON, are_few, few_answered, has_hurried, note_hurry
from pages.components.frame.visit import Visit
from pages.content.lesson_plan import LessonPlan, closing_questions
from pages.content.pages import HOME, LESSON_END, MY_ANSWERS, PageEntry
from pages.content.reader import PAGE_TEXTS

_LOOK_SECONDS = 2.0  # between two looks at the room


@st.fragment  # an answer redraws only this part
def _ask(visit: Visit, questions: Sequence[tuple[PageEntry, Question]]) -> None:
    """Show the questions side by side, and above them, once all are answered, how many are right."""
    place = st.container(key="score")
    answers = []
    for column, (page, exercise) in zip(st.columns(len(questions)), questions, strict=True):
        with column:
            st.caption(f"{page.icon} {page.title}")
            answers.append(ask_exercise(visit, exercise))
    first = _right_at_first(visit, questions)
    right, total = sum(map(bool, answers)), len(answers)
    with place:
        if answers != [None] * total:
            score = _("{right} of {count} right").format(right=right, count=total)
            if first not in (None, right):
                score = _("You: {before} of {count} → {right} of {count} right").format(
                    before=first, right=right, count=total
                )
            st.markdown(f"# {score}")
        if None not in answers and right < total:
            st.markdown(_("Read the hint below each wrong answer, and try again."))


def _right_at_first(visit: Visit, questions: Sequence[tuple[PageEntry, Question]]) -> int | None:
    """Return how many were right before the lesson, or else at the first try; None where not all have been answered."""
    answers = visit.memory.answers
    firsts = []
    for _page, exercise in questions:
        firsts.append(answers.get(exercise.at("before").key) or answers.get(exercise.key))
    return None if None in firsts else sum(each.is_right for each in firsts if each)


def _score(tallies: Iterable[Tally]) -> str:
    """Return how many answers are right, like "2 of 6"."""
    counts = [(tally.right, tally.answered) for tally in tallies]
    right, answered = (sum(each) for each in zip(*counts, strict=True))
    return _("{right} of {count}").format(right=right, count=answered)


Votes = list[tuple[Tally, Tally]]  # on each question, before the lesson and after it


def _votes_of(questions: Sequence[tuple[PageEntry, Question]], seat: Seat) -> Votes:
    room, token = seat.room, seat.token
    return [
        (room.tally(token, exercise.at("before")), room.tally(token, exercise))
        for _page, exercise in questions
    ]


@st.fragment(run_every=_LOOK_SECONDS)
def _wait_for_class(questions: Sequence[tuple[PageEntry, Question]], seat: Seat) -> None:
    """Say how many have answered, until the teacher ends the votes: the bars mark what is right, on the projector."""
    room = seat.room
    num_expected = max(1, room.num_here)
    num_done = min(after.answered for before, after in _votes_of(questions, seat))
    asked = room.code, room.num_lessons
    is_hurried = are_few(num_done, room.num_here)
    is_told = is_hurried and has_hurried(asked)
    end = partial(_end_votes, questions, seat)
    with st.container(horizontal=True, vertical_alignment="center"):
        done = ngettext(
            "**{done} of {count}** have answered all questions.",
            "**{done} of {count}** have answered all questions.",
            num_expected,
        )
        said = done.format(done=num_done, count=num_expected)
        st.markdown(few_answered(num_done, num_expected) if is_told else said, width="content")
        st.button(
            _("Show what the class has learned"),
            icon=":material/bar_chart:",
            key=LEADS_ON,
            on_click=partial(note_hurry, asked) if is_hurried and not is_told else end,
        )
    if _has_ended(questions, seat):
        st.rerun()


@st.fragment(run_every=_LOOK_SECONDS)
def _show_class(questions: Sequence[tuple[PageEntry, Question]], seat: Seat) -> None:
    """Show the teacher's class what it knew before the lesson, and what it knows now."""
    votes = _votes_of(questions, seat)
    asked_twice = [(before, after) for before, after in votes if before.answered]
    sides = [*zip(*(asked_twice or votes), strict=True)]  # before the lesson, and after it
    is_asked = any(after.answered for before, after in votes)
    scores = [_score(side) for side in sides if is_asked and any(tally.answered for tally in side)]
    with st.container(key="score"):
        right = _("{scores} right").format(scores=" → ".join(scores))
        st.markdown(f"# {right}" if scores else _("Nobody has answered yet."))
    columns = st.columns(len(votes), gap="medium")
    for column, (_page, exercise), (before, after) in zip(columns, questions, votes, strict=True):
        with column:
            st.markdown(f"**{exercise.question}**")
            show_votes(after.solved_after(before), (N_("before"), N_("after")), is_lettered=False)


def _show_way_on(plan: LessonPlan | None) -> None:
    """Say in one line what to do next, with links to the pages that the lesson leaves out."""
    beyond = plan.beyond if plan else ()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(PAGE_TEXTS[LESSON_END.address].line, width="content")
        if server_settings().exercises:
            link_to(MY_ANSWERS, MY_ANSWERS.title)
        link_to(HOME, HOME.title)
        for page in beyond:
            link_to(page, page.title)


def _end_votes(questions: Sequence[tuple[PageEntry, Question]], seat: Seat) -> None:
    """Count no more answers."""
    for _page, exercise in questions:
        seat.room.act(exercise, "solve")


def _has_ended(questions: Sequence[tuple[PageEntry, Question]], seat: Seat) -> bool:
    return all(seat.room.tally(seat.token, exercise).is_solved for _page, exercise in questions)


def _show_questions(visit: Visit, questions: Sequence[tuple[PageEntry, Question]]) -> None:
    """Ask the questions; on a teacher's projector, show then how the class has answered."""
    seat = visit.seat if visit.leads else None
    if visit.waits_for_end:
        st.info(
            _("The questions come when your class is at the end of the lesson."), icon=":material/groups:"
        )
    elif seat is None:
        _ask(visit, questions)
    elif _has_ended(questions, seat):
        _show_class(questions, seat)
    else:
        _wait_for_class(questions, seat)
        _ask(visit, questions)


def main(visit: Visit) -> None:
    show_heading(visit)
    plan = visit.lesson
    questions = closing_questions(plan) if plan else []
    if questions:
        _show_questions(visit, questions)
    _show_way_on(plan)
