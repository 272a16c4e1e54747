from __future__ import annotations

import streamlit as st

from core.classroom.workspace import Workspace
from pages.components.app.menu import PageEntry
from pages.components.lesson.routes import LESSONS, LessonPlan
from pages.components.widgets import remembered


def show_guided_path(workspace: Workspace) -> None:
    """A choice of lessons, and the steps of the one chosen; the links at the foot of each page follow it."""
    st.subheader("A guided path")
    minutes = remembered.choose(
        "How long is your lesson?", {each: f"{each} minutes" for each in LESSONS}, "lesson"
    )
    if minutes != (workspace.lesson or min(LESSONS)):
        workspace.lesson = minutes
        st.rerun()  # the link at the foot has been drawn already
    workspace.lesson = minutes
    plan = LESSONS[minutes]
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
