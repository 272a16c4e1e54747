"""The length and the width of the encoding that some views look at."""

from __future__ import annotations

import streamlit as st

MAX_LENGTH, MAX_WIDTH = 4096, 1024
_LENGTH, _WIDTH = 2048, 512  # what is shown first


def choose_sizes() -> tuple[int, int]:
    """Length and width of the encoding."""
    left, right = st.columns(2)
    length = left.slider("Length: positions", 1, MAX_LENGTH, _LENGTH, key="length", bind="query-params")
    width = right.slider("Width: channels (d_model)", 1, MAX_WIDTH, _WIDTH, key="width", bind="query-params")
    return length, width
