"""Which part of a search is shown, and which of its translations."""

from __future__ import annotations

import streamlit as st

from core.config import DecodingConfig
from core.records import Hypothesis
from pages.components.widgets.memory import set_value
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import first_words

_SHOW = "show"
_WHICH = "hypothesis"


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
    own = {"samples": "Side by side"} if decoding.samples else {"tree": "The tree"}
    return choose("Show", {**own, "steps": "One, step by step"}, key=_SHOW)


def choose_hypothesis(hypotheses: tuple[Hypothesis, ...]) -> Hypothesis:
    """One of the translations that a search found."""
    if len(hypotheses) == 1:
        return hypotheses[0]
    titles = {
        number: f"{number}. {first_words(each.text, 80)}" for number, each in enumerate(hypotheses, start=1)
    }
    return hypotheses[choose("Which", titles, key=_WHICH, look="menu") - 1]


def step_through(number: int) -> None:
    """A button's callback: show one of the translations, from 0, step by step."""
    set_value(_SHOW, "steps")
    set_value(_WHICH, number + 1)
