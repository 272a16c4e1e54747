from __future__ import annotations

import streamlit as st

from pages.components.lesson_plan import LESSONS, LessonPlan
from pages.components.workspace import Workspace


def show_guided_path(mine: Workspace) -> None:
    """A choice of lessons and the stops of the one chosen; the links at the foot of pages follow it."""
    st.subheader("A guided path")
    if "lesson" not in st.query_params:  # an address comes before what was chosen earlier
        st.session_state.setdefault("lesson", mine.lesson)
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
    plan = LESSONS[mine.lesson]
    for number, stop in enumerate(plan.stops, start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(stop.page.file, label=f"{number}. **{stop.page.title}**", icon=stop.page.icon)
            st.markdown(f"{stop.minutes} min · {stop.task}")
    _show_rest(plan)


def _show_rest(plan: LessonPlan) -> None:
    if not plan.beyond:
        return
    st.subheader("There is more")
    for page in plan.beyond:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(page.file, label=f"**{page.title}**", icon=page.icon)
            st.markdown(page.line)
