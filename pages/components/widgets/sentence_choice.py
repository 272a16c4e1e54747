from __future__ import annotations

import streamlit as st

from core.classroom.answers import Answer
from core.classroom.workspace import Workspace
from core.records import Translation
from pages.components.widgets.words import first_words, plain

_NUMBER = "explained_sentence"


def choose_sentence(mine: Workspace, answer: Answer) -> Translation:
    """The sentence that is explained; where the text has several, people choose."""
    sentences = answer.whole.sentences
    if len(sentences) > 1:
        st.session_state[_NUMBER] = answer.number
        st.selectbox(
            f"Look into one of the {len(sentences)} sentences",
            range(len(sentences)),
            format_func=lambda number: f"{number + 1}. {first_words(sentences[number].source, 90)}",
            key=_NUMBER,
            on_change=_look_into,
            args=(mine,),
        )
        st.markdown(f"{plain(answer.sentence.source)}  \n→ **{plain(answer.sentence.text)}**")
    return answer.sentence


def _look_into(mine: Workspace) -> None:
    if mine.answer is not None:
        mine.answer = mine.answer.about(st.session_state[_NUMBER])
