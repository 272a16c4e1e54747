from __future__ import annotations

import streamlit as st

from core.classroom.workspace import Workspace
from pages.components.app.menu import PageEntry
from pages.components.lesson.routes import LESSONS, LessonPlan


def show_guided_path(mine: Workspace) -> None:
    """A choice of lessons and the stops of the one chosen; the links at the foot of pages follow it."""
    st.subheader("A guided path")
    if "lesson" not in st.query_params:  # an address comes before what was chosen earlier
        st.session_state["lesson"] = st.session_state.get(
            "lesson", mine.lesson or min(LESSONS)
        )  # told in every run
    chosen = st.segmented_control(
        "How long is your lesson?",
        list(LESSONS),
        required=True,
        format_func=lambda minutes: f"{minutes} minutes",
        key="lesson",
        bind="query-params",
    )
    if chosen and chosen != mine.lesson:
        mine.lesson = chosen
        st.rerun()  # the link at the foot has been drawn already
    plan = LESSONS[mine.lesson or min(LESSONS)]
    for number, stop in enumerate(plan.stops, start=1):
        _show_row(stop.page, f"{number}. **{stop.page.title}**", f"{stop.minutes} min · {stop.task}")
    _show_rest(plan)


def _show_rest(plan: LessonPlan) -> None:
    if not plan.beyond:
        return
    st.subheader("There is more")
    for page in plan.beyond:
        _show_row(page, f"**{page.title}**", page.line)


def _show_row(page: PageEntry, label: str, line: str) -> None:
    link, text = st.columns([2, 5], vertical_alignment="center", gap="small")
    link.page_link(page.file, label=label, icon=page.icon)
    text.markdown(line)
