import streamlit as st

from pages.components.app.menu import PageEntry, is_shown


def link_to(page: PageEntry, label: str) -> None:
    """A link to another page, where this server shows that page."""
    if is_shown(page):
        st.page_link(page.file, label=label, icon=page.icon)
