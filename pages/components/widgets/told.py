"""A widget's value that the app sets, not the person: Streamlit takes it from one place, the session or the default."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

Value = TypeVar("Value")


def tell(key: str, value: object) -> None:
    """Set a widget's value before it is drawn, from a callback or above it on the page."""
    st.session_state[key] = value
    st.session_state[_mark(key)] = True


def default_unless_told(key: str, default: Value) -> Value | None:
    """What to give the widget as its default: None in the run in which its value was told."""
    return None if st.session_state.pop(_mark(key), False) else default


def _mark(key: str) -> str:
    return f"{key}_told"
