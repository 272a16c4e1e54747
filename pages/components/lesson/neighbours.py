from __future__ import annotations

import streamlit as st

from pages.components.app.menu import HOME, PageEntry
from pages.components.app.session import current_workspace
from pages.components.lesson.routes import LESSONS


def show_neighbours(page: PageEntry) -> None:
    """At the foot of a page: the one before it and the one after it in the lesson that was chosen.

    Who opens a page that the lesson leaves out follows the longest one from there, until Home is opened again: it
    leaves out none, so that nobody is led in a circle.
    """
    visited = current_workspace()
    if page != HOME and (visited.lesson is None or page not in LESSONS[visited.lesson].path):
        visited.lesson = max(LESSONS)
    plan = LESSONS[visited.lesson or min(LESSONS)]
    path = plan.path
    place = path.index(page)
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute", key="neighbours"):
        if place > 0:
            before = path[place - 1]
            st.page_link(before.file, label=f"Back: {before.title}", icon=":material/arrow_back:")
        if place + 1 < len(path):
            after = path[place + 1]
            st.page_link(after.file, label=f"Next: **{after.title}**", icon=":material/arrow_forward:")
        else:
            st.caption(f"That was the lesson of {plan.minutes} minutes.")
            st.page_link(HOME.file, label="To the other lessons", icon=HOME.icon)
