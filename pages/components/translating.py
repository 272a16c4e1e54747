"""A sentence through the current model, computed once."""

from __future__ import annotations

import streamlit as st

from core.config import DecodingConfig
from core.records import Translation
from pages.components.limits import MAX_TEXT
from pages.components.trained_model import TrainedModel
from pages.components.workspace import Answer, Workspace


class TextTooLongError(ValueError):
    """More text than the page takes; the message says how much."""


def translation_of(
    mine: Workspace, model: TrainedModel, sentence: str, decoding: DecodingConfig
) -> Translation:
    """Translate and explain, or give back the last translation where nothing changed.

    Raises:
        TextTooLongError: the text is too long for the page.
        TranslationError: the sentence is empty or too long for the model.
    """
    if len(sentence) > MAX_TEXT:
        raise TextTooLongError(
            f"The text has {len(sentence):,} characters; this page takes at most {MAX_TEXT:,}. Shorten it."
        )
    last = mine.answer
    if last is not None and (last.model, last.sentence, last.decoding) == (model, sentence, decoding):
        return last.translation
    with st.spinner("Translating. The first time, this loads TensorFlow and compiles the search."):
        translation = model.translator.translate([sentence], decoding)[0]
        explained = model.translator.explain(translation)
    mine.answer = Answer(model, sentence, decoding, explained)
    return explained
