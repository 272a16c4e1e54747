"""The last step of every lesson: three questions, and where to go from here."""

from collections.abc import Iterable

import streamlit as st

from core.figures.html.tally import tally_html
from core.records.room import Tally
from core.server.room import Seat
from core.server.settings import server_settings
from pages.components.explaining.view import ask_exercise, before_and_after, show_heading
from pages.components.frame.menu import link_to
from pages.components.frame.visit import Visit
from pages.content.lessons import LessonPlan, closing_questions
from pages.content.pages import HOME, LESSON_END, PageEntry
from pages.content.reader import PAGE_TEXTS, Exercise

_LOOK_SECONDS = 2.0  # between two looks at the room


@st.fragment  # an answer redraws only this part
def _ask(visit: Visit, questions: list[tuple[PageEntry, Exercise]]) -> None:
    """Show the questions side by side, and below them how many answers are right."""
    answers = []
    for column, (page, exercise) in zip(st.columns(len(questions)), questions, strict=True):
        with column:
            st.caption(f"{page.icon} {page.title}")
            answers.append(ask_exercise(visit, exercise, closes=True))
    score = f"**{sum(map(bool, answers))} of {len(answers)} right.**"
    if all(answers):
        st.success(f"{score} You have finished the lesson.", icon=":material/trophy:")
    elif None not in answers:
        st.info(
            f"{score} Read the hint below each wrong answer, and try again.",
            icon=":material/refresh:",
        )


def _score(tallies: Iterable[Tally]) -> str:
    """Return how many answers are right, like "2 of 6"."""
    counts = [(tally.votes[-1][tally.question.right_option], tally.answered) for tally in tallies]
    right, answered = (sum(each) for each in zip(*counts, strict=True))
    return f"{right} of {answered}"


@st.fragment(run_every=_LOOK_SECONDS)
def _show_class(questions: list[tuple[PageEntry, Exercise]], seat: Seat) -> None:
    """Show the teacher's class what it knew before the lesson, and what it knows now."""
    pairs = [before_and_after(exercise) for _, exercise in questions]
    tallies = [tuple(seat.room.tally(seat.token, each) for each in pair) for pair in pairs]
    scores = [_score(each) for each in zip(*tallies, strict=True) if any(tally.answered for tally in each)]
    st.subheader("Our class, before and after")
    st.markdown(f"**{' → '.join(scores)} right**" if scores else "Nobody has answered yet.")
    # The bars mark what is right, on the projector. Phones that sleep are not here, but have answered before.
    num_expected = max(1, seat.room.num_here)
    has_everyone = all(after.answered >= max(before.answered, num_expected) for before, after in tallies)
    if not has_everyone and not st.toggle("Show the answers before all have answered", key="class_answers"):
        return
    for before, after in tallies:
        st.markdown(f"**{after.question.text}**")
        st.html(tally_html(after.solved_after(before), ("before", "after"), is_lettered=False))


def _show_way_on(plan: LessonPlan | None) -> None:
    """Say that the lesson ends here, and link to the pages that it leaves out."""
    beyond = plan.beyond if plan else ()
    st.markdown(PAGE_TEXTS[LESSON_END.address].line)
    with st.container(horizontal=True):
        link_to(HOME, HOME.title)
        for page in beyond:
            link_to(page, page.title)


def main(visit: Visit) -> None:
    show_heading(visit)
    plan = visit.lesson
    questions = closing_questions(plan) if plan and server_settings().exercises else []
    if questions:
        _ask(visit, questions)
    if questions and visit.seat is not None and visit.leads:
        _show_class(questions, visit.seat)
    _show_way_on(plan)
