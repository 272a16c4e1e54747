"""Two sentences, two models, or greedy and beam search: one head of each, side by side on one scale."""

from __future__ import annotations

import streamlit as st

from core.classroom.answers import Answer
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from core.figures.attention import (
    attention_info,
    attention_panels,
    difference_figure,
    difference_info,
)
from core.interpretability.attention.view import read_attention
from core.records import AttentionView
from pages.components.app.translating import norms_of, second_answer_of
from pages.components.attention_maps.map_choice import MapChoice
from pages.components.widgets.drawing.figure import show_figure, show_figures
from pages.components.widgets.model.model_choice import all_models, label_of
from pages.components.widgets.remembered import choose
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import first_words, plain

_BEAMS = 4
_MODES = {
    "sentence": "Another sentence",
    "model": "Another model",
    "search": "Greedy and beam search",
}


def try_to_compare(workspace: Workspace, answer: Answer, view: AttentionView, choice: MapChoice) -> None:
    """As `_compare`; says what is wrong with the second sentence where it cannot be translated."""
    try:
        _compare(workspace, answer, view, choice)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")


def _compare(workspace: Workspace, answer: Answer, view: AttentionView, choice: MapChoice) -> None:
    """Choose what to compare with, and draw both.

    Args:
        workspace: of the person.
        answer: the first.
        view: its attention.
        choice: how both are read.

    Raises:
        ValueError: the second cannot be translated.
    """
    model, text, decoding, titles = _choose_second(workspace, answer)
    other = second_answer_of(workspace, model, text, decoding)
    record = other.sentence.attention
    assert record is not None
    norms = norms_of(workspace, other) if choice.reading.measure == "norms" else None
    second = read_attention(record, choice.reading, norms)
    if not second.rows or not second.columns:
        return
    layers, heads = second.weights.shape[:2]
    if choice.layer >= layers or (choice.head or 0) >= heads:
        st.info(
            f"The second model has {layers} layers of {heads} heads. Choose a layer and a head that both have.",
            icon=":material/info:",
        )
        return
    infos = tuple(
        attention_info(each, choice.layer, choice.head, choice.fixed_scale) for each in (view, second)
    )
    st.markdown(f"**{view.title(choice.layer, choice.head)}** · second: {plain(other.sentence.text)}")
    show_figures(
        attention_panels(infos, titles), alt=f"{infos[0].title} of both", key="compare_figure", across=2
    )
    if view.weights.shape == second.weights.shape:
        change = difference_info(*infos)
        st.markdown(
            "**Second minus first**: blue where the first attends more, orange where the second does."
        )
        show_figure(difference_figure(change), alt=change.title, key="difference_figure")
    else:
        st.caption(
            "A difference is drawn only where both have the same number of tokens, layers and heads; these do "
            "not."
        )
    st.caption(" ".join(["Both use the same color scale.", *view.notes]))


def _choose_second(
    workspace: Workspace, answer: Answer
) -> tuple[TrainedModel, str, DecodingConfig, tuple[str, str]]:
    """What to translate, how, and what stands above the two."""
    first, second = st.columns([2, 3], vertical_alignment="bottom")
    with first:
        mode = choose("Compare with", _MODES, key="compare", look="menu")
    text = answer.sentence.source
    if mode == "search":
        greedy, beam = DecodingConfig(), DecodingConfig(beam_size=_BEAMS)
        if answer.decoding.beam_size == 1:
            return answer.model, text, beam, ("Greedy", f"{_BEAMS} beams")
        return answer.model, text, greedy, (f"{answer.decoding.beam_size} beams", "Greedy")
    with second:
        if mode == "model":
            models = all_models(workspace)
            others = {name: label_of(each) for name, each in models.items() if name != answer.model.id}
            if not others:
                st.caption("There is only one model. Train another, or open a checkpoint.")
                return answer.model, text, answer.decoding, ("First", "Second")
            name = choose("Second model", others, key="compare_model", look="menu")
            return models[name], text, answer.decoding, (answer.model.name, models[name].name)
        other = text_input("Second sentence", _other_example(answer), key="compare_text", max_chars=500)
    return answer.model, other, answer.decoding, (first_words(text), first_words(other))


def _other_example(answer: Answer) -> str:
    """An example of the model's that is not the sentence itself."""
    sources = [pair.source for pair in answer.model.checkpoint.examples]
    return next((source for source in sources if source != answer.sentence.source), answer.sentence.source)
