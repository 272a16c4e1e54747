"""The switch of presenter mode, and what stands beside it: Share and the menu of languages."""

import streamlit as st

from core.language import _
from pages.components.browser.files import apply_style, page_script
from pages.components.frame.language import offer_languages
from pages.components.frame.presenting import PRESENT, is_presenting
from pages.components.frame.share import show_share
from pages.components.frame.visit import Visit
from pages.components.widgets.state import set_value, toggle


def show_presenter_switch(visit: Visit) -> None:
    """Show Share and the presenter switch below the menu, which presenter mode hides."""
    with st.sidebar, st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        share = st.container(width="content")
        toggle(
            _("Present"),
            False,
            PRESENT,
            help=_(
                "Larger text, no menu, no source code. Arrow keys move through a view's steps, Page Up and Page Down "
                "through the lesson. Esc ends it."
            ),
        )
        if not is_presenting():
            with share:
                show_share(visit)
            offer_languages()
    if is_presenting():
        apply_style("presenting")
        st.html(page_script("presenting"), unsafe_allow_javascript=True)


def show_presenter_buttons(visit: Visit) -> None:
    """Show Share and the way out of presenter mode, in the lesson bar."""
    with st.container(horizontal=True, gap="xsmall", width="content", key="presenter_buttons"):
        show_share(visit)
        st.button(
            _("Stop presenting"),
            icon=":material/close_fullscreen:",
            key="leave_presenting",
            help=_("Leave presenter mode (Esc)"),
            on_click=set_value,
            args=(PRESENT, False),
        )
