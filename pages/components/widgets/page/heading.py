import streamlit as st

from pages.components.app.session import require_navigation


def show_heading(title: str, line: str) -> None:
    """The page's title and its idea in one sentence."""
    require_navigation()
    st.title(title, anchor=False)
    st.markdown(line)
