"""Two sentences: one head, side by side on one scale."""

from __future__ import annotations

import streamlit as st

from core.classroom.translation_job import Answer
from core.classroom.workspace import Workspace
from core.figures.attention import attention_panels
from core.interpretability.attention_view import read_attention
from core.records import AttentionView
from pages.components.app.translating import norms_of, second_answer_of
from pages.components.attention_maps.map_choice import MapChoice
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import first_words, plain


def try_to_compare(workspace: Workspace, answer: Answer, view: AttentionView, choice: MapChoice) -> None:
    """As `_compare`; says what is wrong with the second sentence where it cannot be translated."""
    try:
        _compare(workspace, answer, view, choice)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")


def _compare(workspace: Workspace, answer: Answer, view: AttentionView, choice: MapChoice) -> None:
    """Ask for a second sentence, and draw both.

    Args:
        workspace: of the person.
        answer: the first.
        view: its attention.
        choice: how both are read.

    Raises:
        ValueError: the second cannot be translated.
    """
    text = text_input("Second sentence", _other_example(answer), key="compare_text", max_chars=500)
    other = second_answer_of(workspace, answer.model, text, answer.decoding)
    record = other.sentence.attention
    assert record is not None
    norms = norms_of(workspace, other) if choice.reading.measure == "norms" else None
    second = read_attention(record, choice.reading, norms)
    if not second.rows or not second.columns:
        return
    titles = (first_words(answer.sentence.source), first_words(text))
    shown = view.title(choice.layer, choice.head)
    st.markdown(f"**{shown}** · second: {plain(other.sentence.text)}")
    figures = attention_panels((view, second), titles, choice.layer, choice.head)
    show_figures(figures, alt=f"{shown} of both", key="compare_figure", across=2)
    st.caption(" ".join(["Both use the same color scale.", *view.notes]))


def _other_example(answer: Answer) -> str:
    """An example of the model's that is not the sentence itself."""
    sources = [pair.source for pair in answer.model.checkpoint.examples]
    return next((source for source in sources if source != answer.sentence.source), answer.sentence.source)
