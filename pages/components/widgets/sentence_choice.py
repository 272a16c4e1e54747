"""The sentence of a text that a page looks into."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.translation_job import Answer
from core.classroom.workspace import Workspace
from core.records import Translation
from pages.components.app.translating import answer_of
from pages.components.widgets.memory import sent_value, set_value
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import first_words, plain

_NUMBER = "explained_sentence"


def choose_sentence(workspace: Workspace, answer: Answer, *, shown: bool = True) -> Translation:
    """The sentence that is explained; where the text has several, people choose.

    Args:
        workspace: of the person.
        answer: the text, translated.
        shown: whether the chosen one of several is written out with its translation.
    """
    sentences = answer.whole.sentences
    if len(sentences) == 1:
        return answer.sentence
    set_value(_NUMBER, answer.number)  # another text begins with its first sentence
    number = choose(
        f"Look into one of the {len(sentences)} sentences",
        {n: f"{n + 1}. {first_words(sentence.source, 90)}" for n, sentence in enumerate(sentences)},
        key=_NUMBER,
        address="number",
        look="menu",
        on_change=partial(_look_into, workspace),
    )
    if number != answer.number:  # a link names it
        answer = answer_of(workspace, answer.model, answer.text, answer.decoding, number) or answer
    if shown:
        st.markdown(f"{plain(answer.sentence.source)}  \n→ **{plain(answer.sentence.text)}**")
    return answer.sentence


def say_stop_added(translation: Translation) -> None:
    """Say that the model read a full stop which nobody typed, wherever tokens are shown."""
    if translation.stop_added:
        st.caption(
            "A full stop was added, because this model works best with sentences that end in punctuation; it is left out "
            "of the translation."
        )


def say_unknown(translation: Translation) -> None:
    """Say which words the model cannot tell apart, where what it attends to is shown."""
    unknown = [
        token
        for token, is_unknown in zip(translation.source_tokens, translation.unknown, strict=True)
        if is_unknown
    ]
    if unknown:
        named = ", ".join(f"“{plain(first_words(token))}”" for token in dict.fromkeys(unknown))
        st.caption(f"Not in the model's vocabulary: {named}. The model reads the unknown token instead.")


def _look_into(workspace: Workspace) -> None:
    number = sent_value(_NUMBER)
    if workspace.answer is not None and number is not None:
        workspace.answer = workspace.answer.about(number)
