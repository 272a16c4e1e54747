from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.components.app.menu import HOME, PAGES, PageEntry, is_shown
from pages.components.app.session import current_workspace
from pages.components.lesson.handout import show_handout_button
from pages.components.lesson.plan import LessonPlan, Parameter


def show_begin(plan: LessonPlan | None) -> None:
    """The way to the first page of the lesson chosen, if any."""
    if plan is not None and plan.shown:
        # Its key is that of the lesson's pages, for a presenter's keys.
        with st.container(key="strip_next", border=True, width="content"):
            label = f"**Begin the {plan.minutes}-minute lesson**"
            first = plan.shown[0]
            st.page_link(
                first.page.file,
                label=label,
                icon=":material/play_arrow:",
                query_params=first.query(current_workspace()),
            )


def show_guided_path(plan: LessonPlan | None) -> None:
    """The steps of the lesson chosen, and the pages that it leaves out; without a lesson, all pages."""
    beyond = tuple(page for page in PAGES if page != HOME and is_shown(page))
    if plan is not None:
        heading, handout = st.columns([5, 1], vertical_alignment="center")
        heading.subheader(f"The {plan.minutes}-minute lesson")
        with handout:
            show_handout_button(plan)
        for number, step in enumerate(plan.shown, start=1):
            _show_row(
                step.page,
                f"{number}. **{step.page.title}**",
                f"{step.minutes} min · {step.task}",
                step.query(current_workspace()),
            )
        beyond = plan.beyond
    if beyond:
        st.subheader("More pages" if plan else "All pages")
        for page in beyond:
            _show_row(page, f"**{page.title}**", page.line)


def _show_row(page: PageEntry, label: str, line: str, query: Sequence[Parameter] = ()) -> None:
    link, text = st.columns([2, 5], vertical_alignment="center", gap="small")
    link.page_link(page.file, label=label, icon=page.icon, query_params=list(query))
    text.markdown(line)
