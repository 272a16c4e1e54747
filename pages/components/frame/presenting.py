"""Presenter mode: whether this tab is in it, and its bar above the page."""

from collections.abc import Mapping
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
LEADS_ON = "leads_on"  # key of the button that does what a lesson's step needs first; the remote's Page Down clicks it


def is_presenting() -> bool:
    """Return whether this tab is in presenter mode."""
    return bool(st.session_state.get(PRESENT, False))


def draw_bar() -> Mapping[BarPart, DeltaGenerator]:
    """Draw presenter mode's bar, and return the places of its parts, still empty; none without presenter mode."""
    if not is_presenting():
        return {}
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bar"):
        return {
            part: st.container(width=width, horizontal=True, vertical_alignment="center", key=f"bar_{part}")
            for part, width in _BAR_WIDTHS.items()
        }
