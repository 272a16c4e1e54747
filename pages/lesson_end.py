"""The last step of every lesson: three questions, and where to go from here."""

from collections.abc import Iterable

import streamlit as st

from core.figures.html.tally import tally_html
from core.records.room import Tally
from core.server.room import Seat
from core.server.settings import server_settings
from pages.components.explaining.view import ask_exercise, before_and_after, show_heading
from pages.components.frame.menu import link_to
from pages.components.frame.presenting import LEADS_ON
from pages.components.frame.visit import Visit
from pages.components.widgets.state import set_value
from pages.content.lesson_plan import LessonPlan, closing_questions
from pages.content.pages import HOME, LESSON_END, MY_ANSWERS, PageEntry
from pages.content.reader import PAGE_TEXTS, Exercise

_LOOK_SECONDS = 2.0  # between two looks at the room


@st.fragment  # an answer redraws only this part
def _ask(visit: Visit, questions: list[tuple[PageEntry, Exercise]]) -> None:
    """Show the questions side by side, and above them, once all are answered, how many are right."""
    place = st.container()
    answers = []
    for column, (page, exercise) in zip(st.columns(len(questions)), questions, strict=True):
        with column:
            st.caption(f"{page.icon} {page.title}")
            answers.append(ask_exercise(visit, exercise, closes=True))
    first = _right_at_first(visit, questions)
    right, total = sum(map(bool, answers)), len(answers)
    with place:
        st.markdown(
            f"# {f'You: {first} of {total} → ' if first not in (None, right) else ''}{right} of {total} right"
        )
        if None not in answers and right < total:
            st.markdown("Read the hint below each wrong answer, and try again.")


def _right_at_first(visit: Visit, questions: list[tuple[PageEntry, Exercise]]) -> int | None:
    """Return how many were right before the lesson, or else at the first try; None where not all have been answered."""
    answers = visit.memory.answers
    firsts = []
    for _, exercise in questions:
        before, after = before_and_after(exercise)
        firsts.append(answers.get(before.key) or answers.get(after.key))
    return None if None in firsts else sum(each.is_right for each in firsts if each)


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
    # The bars mark what is right, on the projector. Phones that sleep are not here, but have answered before.
    num_expected = max(1, seat.room.num_here)
    has_everyone = all(after.answered >= max(before.answered, num_expected) for before, after in tallies)
    key = f"class_answers_{seat.room.code}"
    if not (has_everyone or st.session_state.get(key)):
        num_done = min(after.answered for _, after in tallies)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{num_done} of {num_expected}** have answered all questions.", width="content")
            label = "Show what the class has learned"
            st.button(label, icon=":material/bar_chart:", key=LEADS_ON, on_click=set_value, args=(key, True))
        return
    st.markdown(f"# {' → '.join(scores)} right" if scores else "Nobody has answered yet.")
    for before, after in tallies:
        st.markdown(f"**{after.question.text}**")
        st.html(tally_html(after.solved_after(before), ("before", "after"), is_lettered=False))


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


def main(visit: Visit) -> None:
    show_heading(visit)
    plan = visit.lesson
    questions = closing_questions(plan) if plan and server_settings().exercises else []
    if questions and visit.seat is not None and visit.leads:
        _show_class(questions, visit.seat)
    if questions:
        _ask(visit, questions)
    _show_way_on(plan)
