import streamlit as st
from streamlit.runtime import exists


def show_svg(svg: str) -> None:
    """Show a drawing of our own making; `currentColor` in it is the theme's text colour.

    st.html strips SVG, and st.image shows one that knows nothing of the theme.
    """
    if exists():  # components need a running server; a test that drives the script has none
        component = st.components.v2.component("transformer_classroom_svg", html=svg, css=_TEXT_COLOR)
        component(key="svg")


_TEXT_COLOR = "svg { color: var(--st-text-color); font-family: var(--st-font); }"
