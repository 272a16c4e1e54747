"""A slider whose end moves, as that over the positions of a sentence, without losing its place."""

import streamlit as st

from pages.components.widgets.told import default_unless_told, tell


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
    if st.session_state.get(key, low) > high:
        tell(key, high)
    value: int = st.slider(
        label,
        low,
        high,
        default_unless_told(key, min(default, high)),
        key=key,
        bind="query-params",
    )
    return value
