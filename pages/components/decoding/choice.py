"""Which part of a search is shown."""

from __future__ import annotations

import streamlit as st

from core.config import DecodingConfig
from pages.components.widgets.remembered import choose

_SHOW = "show"


# The options say what they are; screen readers still have the labels.
_WITHOUT_LABELS = """<style>
.st-key-search [data-testid='stWidgetLabel'], .st-key-show [data-testid='stWidgetLabel'] {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
}
</style>"""


def hide_labels() -> None:
    """Leave more of the first screen to the figure."""
    st.html(_WITHOUT_LABELS)


def choose_part(decoding: DecodingConfig) -> str:
    """The steps, or what only this search has: "steps", "tree" or "samples"."""
    if decoding.num_hypotheses == 1:
        return "steps"
    if decoding.samples:
        return "samples"
    return choose("Show", {"tree": "The tree", "steps": "The best, step by step"}, key=_SHOW)
