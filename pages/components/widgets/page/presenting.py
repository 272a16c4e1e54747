"""Presenter mode: the page for a projector. `?present=1` opens any page in it."""

from __future__ import annotations

import streamlit as st

from pages.components.app.layout import present
from pages.components.widgets import remembered
from pages.components.widgets.memory import set_value

_KEY = "present"


def is_presenting() -> bool:
    """Whether this tab shows pages for a projector."""
    return bool(st.session_state.get(_KEY, False))


def show_presenter_switch() -> None:
    """The switch below the menu. Called in every run, before the page."""
    with st.sidebar:
        remembered.toggle(
            "Presenter mode",
            False,
            _KEY,
            help="Larger type, no menu, no code. Arrow keys go through a view's steps, Page Up and Page Down through "
            "the lesson. Esc ends it.",
        )
    if is_presenting():
        present()


def show_leave_button() -> None:
    """At the foot of the page, since the menu is hidden."""
    if is_presenting():
        st.button(
            "Leave presenter mode (Esc)",
            icon=":material/close_fullscreen:",
            type="tertiary",
            key="leave_presenting",
            on_click=set_value,
            args=(_KEY, False),
        )
