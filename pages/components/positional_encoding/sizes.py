"""The length and the width of the encoding."""

from __future__ import annotations

import streamlit as st

from pages.components.widgets.numbers import slider

MAX_LENGTH, MAX_WIDTH = 4096, 1024
_LENGTH, _WIDTH = 2048, 512  # at first


def choose_sizes() -> tuple[int, int]:
    """Length and width of the encoding."""
    left, right = st.columns(2)
    with left:
        length = slider("Length: positions", 1, MAX_LENGTH, _LENGTH, "length")
    with right:
        width = slider("Width: channels (d_model)", 1, MAX_WIDTH, _WIDTH, "width")
    return length, width
