from __future__ import annotations

import streamlit as st

from core.classroom.models import TrainedModel
from pages.components.app.session import current_workspace
from pages.components.widgets.address import is_news, read_address
from pages.components.widgets.memory import sent_value, set_value
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import first_words, plain

MAX_LINKED_TEXT = 5_000  # characters of a text that an address holds
TEXT = "sentence"  # key of the box, and its name in the address
_READER = "sentence_reader"  # what the model reads whose sentence stands in the box: a language, or its words
_TEXTS = "sentences_by_reader"  # the last text for each of those
_MAX_TEXTS = 8


def ask_source_text(model: TrainedModel) -> str:
    """A box for a text in the model's language; it is never empty at first. A link's long text is cut, and said so."""
    most = MAX_LINKED_TEXT
    if len(st.query_params.get(TEXT, "")) > most:
        st.warning(
            f"The link holds more than {most:,} characters; here is the beginning of its text.",
            icon=":material/link_off:",
        )
    example = model.first_example
    _change_language(model, example.source if example else "")
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


def _change_language(model: TrainedModel, example: str) -> None:
    """Where a model reads other words than the one before, the box has what it was asked in its own, or an example.

    What a link asks stays.
    """
    kept = current_workspace().kept
    reads = model.source_language if model.is_subword else model.checkpoint.source_tokenizer.vocabulary.tokens
    before = kept.get(_READER, reads)
    kept[_READER] = reads
    if before == reads or is_news(TEXT, read_address(TEXT)):
        return
    texts = kept.setdefault(_TEXTS, {})
    texts[before] = st.session_state.get(TEXT) or kept.get(TEXT, "")
    while len(texts) > _MAX_TEXTS:
        del texts[next(iter(texts))]
    set_value(TEXT, texts.get(reads) or example)


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
    if chosen := sent_value(key):
        set_value(TEXT, chosen)


def label_of_example(example: str) -> str:
    """The beginning of an example; Streamlit reads labels as Markdown."""
    return plain(first_words(example))
