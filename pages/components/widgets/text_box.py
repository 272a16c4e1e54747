from __future__ import annotations

import streamlit as st

from core.classroom.settings import server_settings
from core.classroom.trained_model import TrainedModel
from pages.components.app.session import current_workspace
from pages.components.widgets.memory import set_value
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import first_words, plain

TEXT = "sentence"  # key of the box, and its name in the address
_READER = "sentence_reader"  # what the model reads whose sentence stands in the box: a language, or its words


def ask_source_text(model: TrainedModel) -> str:
    """A box for a text in the model's language; it is never empty at first. A link's long text is cut, and said so."""
    most = server_settings().max_linked_text
    if len(st.query_params.get(TEXT, "")) > most:
        st.warning(
            f"The link holds more than {most:,} characters; here is the beginning of its text.",
            icon=":material/link_off:",
        )
    example = model.first_example
    _forget_foreign_text(model, example.source if example else "")
    # In a form, leaving the box to press the button does not run the page once more.
    with st.form("text", border=False):
        field, button = st.columns([7, 2], vertical_alignment="bottom")
        with field:
            text = text_input(
                f"A text in {model.source_language}" if model.source_language else "A text to translate",
                example.source if example else "",
                key=TEXT,
                placeholder="Type or paste one sentence or several",
                max_in_address=most,
            )
        button.form_submit_button("Translate", type="primary", width="stretch")
    return text


def _forget_foreign_text(model: TrainedModel, example: str) -> None:
    """What was typed for another model goes where a new one reads other words: nobody has asked it for that."""
    workspace = current_workspace()
    reads = model.source_language or model.checkpoint.source_tokenizer.vocabulary.tokens
    before = workspace.kept.get(_READER, reads)
    workspace.kept[_READER] = reads
    if workspace.arrived is not None and workspace.arrived.id == model.id:
        workspace.arrived = None
        if before != reads:
            set_value(TEXT, example)


def offer_examples(model: TrainedModel) -> None:
    """Sentences to press, which then stand in the box."""
    examples = [pair.source for pair in model.checkpoint.examples]
    if examples:
        key = f"example_{model.id}"
        st.pills(
            "Examples", examples, format_func=label_of_example, key=key, on_change=_take_example, args=(key,)
        )


def reference_for(model: TrainedModel, text: str) -> str:
    """How people translated an example; empty for any other text."""
    found = next((pair.target for pair in model.checkpoint.examples if pair.source == text.strip()), "")
    return model.checkpoint.target_tokenizer.detokenized(found)


def _take_example(key: str) -> None:
    if chosen := st.session_state[key]:
        set_value(TEXT, chosen)


def label_of_example(example: str) -> str:
    """The beginning of an example; Streamlit reads labels as Markdown."""
    return plain(first_words(example))
