from __future__ import annotations

from contextlib import suppress
from typing import NoReturn

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from pages.components.app.doors import class_may_come_in
from pages.components.app.menu import HOME, PAGES, SECTIONS, PageEntry, is_shown
from pages.components.app.session import begin_navigation
from pages.components.app.workarounds import show_own_menu


def show_menu() -> tuple[StreamlitPage, PageEntry]:
    """The menu with the pages of this server; gives the page that the address names, to be run, and its entry."""
    begin_navigation()
    show_own_menu()
    sections = {
        heading: [_page(entry, is_shown(entry)) for entry in pages] for heading, pages in SECTIONS.items()
    }
    page = st.navigation(sections, expanded=True, position="sidebar" if class_may_come_in() else "hidden")
    return page, next(entry for entry in PAGES if entry.title == page.title)


def stop_on_left_out(entry: PageEntry) -> None:
    """Say that a page is not shown on this server; nothing of it runs then."""
    if not is_shown(entry):
        st.info(f"The page “{entry.title}” is switched off on this server.", icon=":material/visibility_off:")
        st.page_link(HOME.file, label="To the first page", icon=HOME.icon)
        st.stop()


def run_page(page: StreamlitPage) -> None:
    """Run it, to its end or to that of `end_page`."""
    with suppress(StopException):
        page.run()


def end_page() -> NoReturn:
    """End the run of a page that has nothing more to show; what stands around it is still drawn.

    After `st.stop()` Streamlit (1.67) draws nothing more. Not for fragments, where it ends the fragment alone.
    """
    raise StopException


def _page(entry: PageEntry, in_menu: bool) -> StreamlitPage:
    return st.Page(
        entry.file,
        title=entry.title,
        icon=entry.icon,
        default=entry is HOME,
        visibility="visible" if in_menu else "hidden",
    )
