"""A slider whose end moves, as that over the positions of a sentence, without losing its place."""

import streamlit as st


def bounded_slider(label: str, low: int, high: int, default: int, key: str) -> int:
    """A slider that is kept in the address; where its end has moved below its value, it goes to the end.

    Args:
        label: above it.
        low: the least value.
        high: the greatest value; where it is no more than `low`, there is nothing to slide and `low` is returned.
        default: at first, and where an address names a value that there is not.
        key: in the address.
    """
    if high <= low:
        return low
    told = st.session_state.pop(_told(key), False)
    if st.session_state.get(key, low) > high:
        st.session_state[key], told = high, True
    value: int = st.slider(
        label,
        low,
        high,
        None if told else min(default, high),  # a widget takes its value from one place
        key=key,
        bind="query-params",
    )
    return value


def slide_to(key: str, value: int) -> None:
    """Move a slider from the callback of another widget."""
    st.session_state[key] = value
    st.session_state[_told(key)] = True


def _told(key: str) -> str:
    """Whether the session, not the person, has set the value since the slider was drawn."""
    return f"{key}_told"
