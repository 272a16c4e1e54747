"""Presenter mode: whether this tab is in it, and its bar above the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

PRESENT = "present"  # key of the switch, also in the address

# The parts of presenter mode's bar, in their order, with their widths in pixels or as Streamlit names them.
BarPart = Literal["title", "view", "sentence", "translation", "controls", "row", "above"]
_BAR_WIDTHS: dict[BarPart, int | Literal["content", "stretch"]] = {
    "title": "content",
    "view": 250,
    "sentence": "content",
    "translation": "stretch",
    "controls": "stretch",
    "row": "stretch",  # controls that need a row of their own
    "above": "stretch",  # what stands between the bar and the figure
}
_BAR = "presenter_bar"  # key of st.session_state: the places of the bar's parts in this run

LEADS_ON = "leads_on"  # key of the button that does what a lesson's step needs first; the remote's Page Down clicks it


def is_presenting() -> bool:
    """Return whether this tab is in presenter mode."""
    return bool(st.session_state.get(PRESENT, False))


def begin_bar() -> None:
    """Draw presenter mode's bar, still empty. Call it in every run, above the page."""
    if not is_presenting():
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bar"):
        places = {
            part: st.container(width=width, horizontal=True, vertical_alignment="center", key=f"bar_{part}")
            for part, width in _BAR_WIDTHS.items()
        }
    st.session_state[_BAR] = places


@contextmanager
def in_bar(part: BarPart) -> Iterator[None]:
    """Put what is drawn inside into presenter mode's bar; elsewhere, it stays where it is drawn.

    Do not use it in a fragment: Streamlit lets one draw widgets only inside itself.
    """
    if not is_presenting():
        yield
        return
    places: dict[BarPart, DeltaGenerator] = st.session_state[_BAR]
    with places[part]:
        yield
