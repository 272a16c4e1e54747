from __future__ import annotations

import streamlit as st

from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from pages.components.widgets.words import first_words

_TEXT = "sentence"  # in the address too
_OFFERED = "offered_text"  # what the app, not the person, has put into the box


def ask_text(mine: Workspace, model: TrainedModel) -> str:
    """A box for a text in the model's language, with examples to press; it is never empty at first."""
    _fill(mine, model)
    field, button = st.columns([5, 1], vertical_alignment="bottom")
    text: str = field.text_input(
        f"A text in {model.source_language or 'the source language'}",
        key=_TEXT,
        bind="query-params",
        placeholder="Type or paste one sentence or several",
    )
    button.button("Translate", type="primary", width="stretch")  # leaving the field translates as well
    examples = [pair.source for pair in model.checkpoint.examples]
    if examples:
        key = f"example_{model.id}"
        st.pills("Examples", examples, format_func=first_words, key=key, on_change=_take_example, args=(key,))
    return text


def reference_for(model: TrainedModel, text: str) -> str:
    """How people translated an example; empty for any other text."""
    found = next((pair.target for pair in model.checkpoint.examples if pair.source == text.strip()), "")
    return model.checkpoint.target_tokenizer.detokenized(found)


def _fill(mine: Workspace, model: TrainedModel) -> None:
    """Put a text into the box: on a first visit, and for another model if nobody has typed anything."""
    example = model.first_example
    offered = example.source if example else ""
    if _TEXT not in st.session_state:
        if _TEXT not in st.query_params:
            st.session_state[_TEXT] = _last_text(mine, model) or offered
    elif st.session_state[_TEXT] == st.session_state.get(_OFFERED):
        st.session_state[_TEXT] = offered
    st.session_state[_OFFERED] = offered


def _last_text(mine: Workspace, model: TrainedModel) -> str:
    """The text that the model is translating, or has translated last; empty where there is none."""
    if (
        mine.translation is not None
        and mine.translation.active
        and mine.translation.work.request.model is model
    ):
        return mine.translation.work.request.texts[0]
    return mine.answer.text if mine.answer is not None and mine.answer.model is model else ""


def _take_example(key: str) -> None:
    if chosen := st.session_state[key]:
        st.session_state[_TEXT] = chosen
