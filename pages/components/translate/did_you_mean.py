"""For words that a model does not know: the text with the words that were probably meant, to press."""

from __future__ import annotations

import re

import streamlit as st

from core.classroom.translation_job import Answer
from core.records import Translation
from core.tokens.word import likely_words
from pages.components.widgets.memory import set_value
from pages.components.widgets.text_box import TEXT, label_of_example


def offer_likely_text(answer: Answer, translation: Translation) -> None:
    """A button that translates what the sentence was probably meant to be, where the model would know all its words."""
    if answer.model.is_subword or not any(translation.unknown):
        return
    words = [
        word for word, unknown in zip(translation.source_tokens, translation.unknown, strict=True) if unknown
    ]
    text, likely_for = answer.text, likely_words(words, answer.model.checkpoint.source_tokenizer.vocabulary)
    for word, likely in likely_for.items():
        text = re.sub(rf"\b{re.escape(word)}\b", likely, text, flags=re.IGNORECASE)
    if set(words) <= likely_for.keys():
        st.button(
            f"Did you mean “{label_of_example(text)}”?",
            icon=":material/spellcheck:",
            on_click=set_value,
            args=(TEXT, text),
            help="The model does not know every word of this text; it knows these.",
        )
