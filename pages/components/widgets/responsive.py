"""Two arrangements of one figure: the server does not know how wide the browser is, so both go out."""

from collections.abc import Callable

import streamlit as st


def wide_and_narrow(name: str, draw: Callable[[bool], None]) -> None:
    """Draw for a screen and for a phone; the browser shows the one that fits.

    Args:
        name: of the figure, once a page.
        draw: told whether to draw for a phone.
    """
    st.html(
        f"""<style>
        @media (max-width: 700px) {{ .st-key-{name}_wide {{ display: none; }} }}
        @media (min-width: 701px) {{ .st-key-{name}_narrow {{ display: none; }} }}
        </style>"""
    )
    for arrangement, narrow in (("wide", False), ("narrow", True)):
        with st.container(key=f"{name}_{arrangement}"):
            draw(narrow)
