"""A text through the current model, computed once."""

from __future__ import annotations

import time

import streamlit as st

from core.classroom.limits import MAX_TEXT
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Answer, Workspace
from core.config import DecodingConfig


class TextError(ValueError):
    """A text the page cannot take; the message says why."""


def answer_of(
    mine: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig, number: int | None = None
) -> Answer:
    """Translate a text and explain one of its sentences, or give back what was answered before.

    Args:
        mine: keeps the answer.
        model: translates.
        text: of one sentence or several.
        decoding: how to search.
        number: of the sentence to explain, from 0; None leaves it as it was, or takes the first.

    Raises:
        TextError: the text is blank or too long for the page.
        TranslationError: the text has no words, or a sentence is too long for the model.
    """
    check_text(text)
    answer = mine.answer
    if answer is None or (answer.model, answer.text, answer.decoding) != (model, text, decoding):
        with st.spinner("Translating. The first time, this loads TensorFlow and compiles the search."):
            answer = _translated(model, text, decoding)
    if number is not None and number < len(answer.whole.sentences):
        answer = answer.about(number)
    if answer.explained is None:
        with st.spinner("Looking at the attention and at what else the model might have said."):
            answer = answer.with_explained(model.translator.explain(answer.sentence))
    mine.answer = answer
    return answer


def check_text(text: str) -> None:
    """Whether the page takes a text.

    Raises:
        TextError: it is blank or too long.
    """
    if not text.strip():
        raise TextError("There are no words to translate. Type a sentence.")
    if len(text) > MAX_TEXT:
        raise TextError(
            f"The text has {len(text):,} characters; this page takes at most {MAX_TEXT:,}. Shorten it."
        )


def _translated(model: TrainedModel, text: str, decoding: DecodingConfig) -> Answer:
    translator = model.translator  # before the import: it loads TensorFlow in the one place for that
    from core.decoding.long_text import translate_texts

    started = time.monotonic()
    whole = translate_texts(translator, [text], decoding)[0]
    return Answer(model, text, decoding, whole, time.monotonic() - started)
