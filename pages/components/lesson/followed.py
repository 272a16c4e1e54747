"""The lesson that a visitor follows, on every page: which step it is, what to do, and the way on.

`?lesson=30` on any page's address begins it; it lasts until another is chosen on Home.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.components.app.menu import HOME, PAGES, PageEntry, is_shown
from pages.components.app.session import current_workspace
from pages.components.lesson.closing import ANCHOR, show_closing
from pages.components.lesson.exercise import exercises_are_on
from pages.components.lesson.plan import LESSONS, LessonPlan, Parameter
from pages.components.widgets import remembered
from pages.components.widgets.memory import Memory
from pages.components.widgets.remembered import choose

_KEY = "lesson"
_NONE = 0
_TITLES = {_NONE: "No lesson", **{minutes: f"{minutes} min" for minutes in LESSONS}}


def choose_lesson() -> LessonPlan | None:
    """How long the lesson is that a visitor wants to follow; on Home."""
    return LESSONS.get(choose("How long is your lesson?", _TITLES, _KEY))


def show_strip(page: PageEntry) -> None:
    """Above a page of the lesson that is followed: its step, minutes and task, back and next."""
    plan = _followed(page)
    place = plan.place(page) if plan else None
    if plan is None or not place:
        return
    step = plan.shown[place - 1]
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small", key="strip"):
        _show_back(plan, place, "strip_back")
        last = place == len(plan.shown)
        then = f" Then [three questions](#{ANCHOR})." if last and exercises_are_on() else ""
        st.markdown(
            f"**Step {place} of {len(plan.shown)}** · {step.minutes} min · {step.task}{then}", width="stretch"
        )
        _show_next(plan, place, "strip_next")


def show_foot(page: PageEntry) -> None:
    """Below a lesson's page the way on, and below its last one three questions; else the neighbours in the menu."""
    plan = _followed(page)
    if plan is not None and page == plan.path[-1]:
        show_closing(plan)
    if plan is not None and (step := plan.place(page)):
        with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
            _show_back(plan, step, "foot_back")
            _show_next(plan, step, "foot_next")
        return
    if page not in PAGES or page == HOME:
        return
    pages = [entry for entry in PAGES if is_shown(entry)]
    place = pages.index(page)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
        if place > 0:
            _link(pages[place - 1], f"Back: {pages[place - 1].title}", ":material/arrow_back:", "foot_back")
        if place + 1 < len(pages):
            _link(
                pages[place + 1],
                f"Next: **{pages[place + 1].title}**",
                ":material/arrow_forward:",
                "foot_next",
            )


def _show_back(plan: LessonPlan, step: int, key: str) -> None:
    query = plan.shown[step - 2].query(current_workspace()) if step > 1 else ()
    _link(plan.path[step - 1], "Back", ":material/arrow_back:", key, query)


def _show_next(plan: LessonPlan, step: int, key: str) -> None:
    if step == len(plan.shown):
        _link(HOME, f"End of the {plan.minutes}-minute lesson", ":material/check:", key)
        return
    after = plan.shown[step]
    query = after.query(current_workspace())
    _link(after.page, f"Next: **{after.page.title}**", ":material/arrow_forward:", key, query)


def _followed(page: PageEntry) -> LessonPlan | None:
    """The lesson chosen; on Home the choice itself is drawn later and writes the address."""
    if page == HOME:
        return None
    return LESSONS.get(Memory(_KEY, _NONE, remembered.read_option(_KEY, _TITLES)).load())


def _link(page: PageEntry, label: str, icon: str, key: str, query: Sequence[Parameter] = ()) -> None:
    with st.container(key=key, width="content"):
        st.page_link(page.file, label=label, icon=icon, query_params=list(query))
