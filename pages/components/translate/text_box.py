from __future__ import annotations

import streamlit as st

from core.classroom.trained_model import TrainedModel
from pages.components.widgets.memory import set_value
from pages.components.widgets.remembered import text_input
from pages.components.widgets.words import first_words, plain

_TEXT = "sentence"  # in the address too


def ask_text(model: TrainedModel) -> str:
    """A box for a text in the model's language, with examples to press; it is never empty at first."""
    example = model.first_example
    # In a form, leaving the box to press the button does not run the page once more.
    with st.form("text", border=False):
        field, button = st.columns([5, 1], vertical_alignment="bottom")
        with field:
            text = text_input(
                f"A text in {model.source_language or 'the source language'}",
                example.source if example else "",
                key=_TEXT,
                placeholder="Type or paste one sentence or several",
            )
        button.form_submit_button("Translate", type="primary", width="stretch")
    examples = [pair.source for pair in model.checkpoint.examples]
    if examples:
        key = f"example_{model.id}"
        st.pills(
            "Examples", examples, format_func=label_of_example, key=key, on_change=_take_example, args=(key,)
        )
    return text


def reference_for(model: TrainedModel, text: str) -> str:
    """How people translated an example; empty for any other text."""
    found = next((pair.target for pair in model.checkpoint.examples if pair.source == text.strip()), "")
    return model.checkpoint.target_tokenizer.detokenized(found)


def _take_example(key: str) -> None:
    if chosen := st.session_state[key]:
        set_value(_TEXT, chosen)


def label_of_example(example: str) -> str:
    """The beginning of an example; Streamlit reads labels as Markdown."""
    return plain(first_words(example))
