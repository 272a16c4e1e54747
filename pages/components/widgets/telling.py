"""What is said to a visitor when something did not work: on the page, or beside it from a callback."""

import streamlit as st

from pages.content.markdown import plain


def show_problem(problem: object) -> None:
    """Show on the page why something cannot be shown: as plain text, since it may quote what was typed."""
    st.error(plain(str(problem)), icon=":material/error:")


def tell(message: object, icon: str = ":material/error:") -> None:
    """Say something beside the page, whatever it draws next: what a callback has to say."""
    st.toast(plain(str(message)), icon=icon, duration="long")
