from __future__ import annotations

import time
from contextlib import suppress
from typing import NamedTuple, NoReturn

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from core.classroom.addresses.short_addresses import SharedView
from core.classroom.settings import server_settings
from pages.components.app.doors import class_may_come_in, teacher_is_here
from pages.components.app.menu import HOME, PAGES, SECTIONS, TEACHER, PageEntry, is_shown
from pages.components.app.resources import short_addresses
from pages.components.app.session import OF_TAB, begin_navigation
from pages.components.app.workarounds import show_own_menu

SHORT = "go"  # a view's number in a short address

_SEEN = "addresses_seen"  # keys of st.session_state
_AIM = f"{OF_TAB}short_address"
_AIM_SECONDS = 4.0  # for how long a browser may still ask for the page that it came by


class _Aim(NamedTuple):
    """Where a short address leads."""

    view: SharedView
    first: PageEntry  # the page that it opened
    since: float  # seconds, monotonic


def show_menu() -> tuple[StreamlitPage, PageEntry]:
    """The menu with the pages of this server; gives the page that the address names, to be run, and its entry."""
    begin_navigation()
    show_own_menu()
    sections = {
        heading: [_page(entry, is_shown(entry)) for entry in pages] for heading, pages in SECTIONS.items()
    }
    if server_settings().teacher_code:
        sections[""].append(_page(TEACHER, teacher_is_here()))
    page = st.navigation(sections, expanded=True, position="sidebar" if class_may_come_in() else "hidden")
    return page, next(entry for entry in (*PAGES, TEACHER) if entry.title == page.title)


def stop_on_left_out(entry: PageEntry) -> None:
    """Say that a page is not shown on this server; nothing of it runs then."""
    if entry is not TEACHER and not is_shown(entry):
        st.info(f"The page “{entry.title}” is switched off on this server.", icon=":material/visibility_off:")
        st.page_link(HOME.file, label="To the first page", icon=HOME.icon)
        st.stop()


def follow_short_address(here: PageEntry) -> None:
    """Go on to the view whose number the address holds, if any.

    Args:
        here: the page that would be run.
    """
    number = st.query_params.pop(SHORT, None)
    if number is not None:
        view = short_addresses().find(number)
        if view is None or view.page not in {page.address for page in PAGES}:
            st.toast(  # which stays when the page is drawn anew, for the tab's workspace
                "This short address is not valid, or no longer valid. Ask your teacher for a new one.",
                icon=":material/link_off:",
                duration="infinite",
            )
            return
        st.session_state[_AIM] = _Aim(view, here, time.monotonic())
        _open(view)
    aim: _Aim | None = st.session_state.get(_AIM)
    if aim is None or here.address == aim.view.page:
        return
    # The browser may have asked for the first page again, for its workspace, before it was sent on.
    if here == aim.first and time.monotonic() - aim.since < _AIM_SECONDS:
        _open(aim.view)
    del st.session_state[_AIM]  # somebody has gone elsewhere


def _open(view: SharedView) -> None:
    page = next(page for page in PAGES if page.address == view.page)
    st.switch_page(page.file, query_params=dict(view.parameters))


def run_page(page: StreamlitPage, entry: PageEntry) -> None:
    """Run it; for the teacher, remember what its address says then."""
    with suppress(StopException):  # of `end_page`
        page.run()
    if teacher_is_here():
        seen_in_this_tab()[entry.address] = st.query_params.to_dict()


def end_page() -> NoReturn:
    """End the run of a page that has nothing more to show; what stands around it is still drawn.

    After `st.stop()` Streamlit (1.67) draws nothing more. Not for fragments, where it ends the fragment alone.
    """
    raise StopException


def seen_in_this_tab() -> dict[str, dict[str, str]]:
    """What the addresses of the pages said that the teacher has had open, by page."""
    seen: dict[str, dict[str, str]] = st.session_state.setdefault(_SEEN, {})
    return seen


def _page(entry: PageEntry, in_menu: bool) -> StreamlitPage:
    return st.Page(
        entry.file,
        title=entry.title,
        icon=entry.icon,
        default=entry is HOME,
        visibility="visible" if in_menu else "hidden",
    )
