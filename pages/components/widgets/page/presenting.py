"""Presenter mode: the page for a projector. `?present=1` opens any page in it."""

from __future__ import annotations

import streamlit as st

from pages.components.app.layout import present
from pages.components.app.menu import PageEntry
from pages.components.widgets import remembered
from pages.components.widgets.memory import set_value
from pages.components.widgets.page.share import show_share
from pages.components.widgets.page.theme_choice import show_theme_choice

_KEY = "present"


def is_presenting() -> bool:
    """Whether this tab shows pages for a projector."""
    return bool(st.session_state.get(_KEY, False))


def show_presenter_switch(page: PageEntry) -> None:
    """The switch below the menu, light or dark, and Share. Called in every run, before the page."""
    with st.sidebar:
        share = st.container()
        remembered.toggle(
            "Presenter mode",
            False,
            _KEY,
            help="Larger type, no menu, no code. Arrow keys go through a view's steps, Page Up and Page Down through "
            "the lesson. Esc ends it.",
        )
        if not is_presenting():
            with share:
                show_share(page)
            show_theme_choice(page)
    if is_presenting():
        present()


def show_presenter_foot(page: PageEntry) -> None:
    """What the menu has else, at the foot of the page, since the menu is hidden."""
    if not is_presenting():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="presenter_foot"):
        show_theme_choice(page)
        show_share(page)
        st.button(
            "Leave presenter mode (Esc)",
            icon=":material/close_fullscreen:",
            type="tertiary",
            key="leave_presenting",
            on_click=set_value,
            args=(_KEY, False),
        )
