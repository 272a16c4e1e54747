"""Presenter mode: whether this tab is in it, and its bar above the page."""

from collections.abc import Hashable, Mapping
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.language import ngettext
from pages.components.widgets.component import draw_component
from pages.components.widgets.state import Look

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
_HURRIED = "hurried"  # key of st.session_state: what a press would have ended while few had answered


def is_presenting() -> bool:
    """Return whether this tab is in presenter mode."""
    return bool(st.session_state.get(PRESENT, False))


def look_of_choice() -> Look:
    """Return how a choice of a few is drawn: the presenter's bar is short."""
    return "menu" if is_presenting() else "buttons"


def draw_figure(name: str, html: str, data: Mapping[str, Any], **callbacks: Any) -> None:
    """Draw a figure of our own, which is told whether it is presented; see `draw_component`."""
    draw_component(name, html, {**data, "presenting": is_presenting()}, **callbacks)


def draw_bar() -> Mapping[BarPart, DeltaGenerator]:
    """Draw presenter mode's bar, and return the places of its parts, still empty; none without presenter mode."""
    if not is_presenting():
        return {}
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bar"):
        return {
            part: st.container(width=width, horizontal=True, vertical_alignment="center", key=f"bar_{part}")
            for part, width in _BAR_WIDTHS.items()
        }


def are_few(answered: int, here: int) -> bool:
    """Return whether so few of those here have answered that ending a vote takes a second press."""
    return 2 * answered < here


def few_answered(answered: int, here: int) -> str:
    """Return what the first press says."""
    return ngettext(
        "**{count} of {here}** has answered. Press again if you do not want to wait.",
        "**{count} of {here}** have answered. Press again if you do not want to wait.",
        answered,
    ).format(count=answered, here=here)


def note_hurry(asked: Hashable) -> None:
    """Note the first press."""
    st.session_state[_HURRIED] = asked


def has_hurried(asked: Hashable) -> bool:
    """Return whether the first press is noted."""
    return bool(st.session_state.get(_HURRIED) == asked)
