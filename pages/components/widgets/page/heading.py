import streamlit as st

from pages.components.app.content import terms_needed_on
from pages.components.app.menu import PAGES
from pages.components.app.session import require_navigation


def show_heading(title: str, line: str) -> None:
    """The page's title and its idea in one sentence."""
    require_navigation()
    show_title(title)
    st.markdown(line)


def show_title(title: str) -> None:
    """The title, with the glossary's entries of the page behind a question mark: no element of their own."""
    address = next((page.address for page in PAGES if page.title == title), "")
    st.title(title, anchor=False, help=terms_needed_on(address) or None)
