import streamlit as st

from pages.components.app.content import PAGE_TEXTS, terms_needed_on
from pages.components.app.session import require_navigation


def show_heading(page: str) -> None:
    """Show the title of a page, by its address, and its idea in one sentence."""
    require_navigation()
    show_title(page)
    st.markdown(PAGE_TEXTS[page].idea)


def show_title(page: str) -> None:
    """Show the title, with the glossary's entries of the page behind a question mark: no element of their own."""
    texts = PAGE_TEXTS[page]
    st.title(texts.heading or texts.title, anchor=False, help=terms_needed_on(page) or None)
