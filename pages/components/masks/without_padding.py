"""A model, run with its padding mask left out."""

from __future__ import annotations

import streamlit as st

from core.classroom.models import TrainedModel
from core.figures.model_inside import padding_shares_figures
from core.interpretability.padding import padding_comparison
from core.records import PaddingComparison, PaddingEffect, PaddingOutcome
from pages.components.app.findings import padding_comparison_of
from pages.components.app.menu import TRAIN
from pages.components.app.session import current_workspace
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.model.model_choice import choose_model
from pages.components.widgets.numbers import slider
from pages.components.widgets.page.page_links import link_to
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import plain

MAX_WORDS = 20
MAX_PADS = 16
_ROUNDING = 1e-4  # smaller differences come from the order in which numbers are added


def _show_without_padding() -> None:
    if current_model(current_workspace()) is None:
        st.info(
            "This needs a trained model, and there is none yet. Train the classroom model, which takes seconds, "
            "then come back.",
            icon=":material/school:",
        )
        link_to(TRAIN, "Train")
        return
    model, sentence, num_pads = _choose_sentence()
    try:
        found = padding_comparison_of(model.id, sentence, num_pads, model)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    _show_outcomes(found)
    _show_shares(found.unmasked.effect)
    st.caption(f"The translation by **{plain(model.name)}**; greedy decoding.")
    st.caption(
        "A missing mask is easy to overlook: the well-known TensorFlow tutorial, run as written on Keras 3.15.1 (4 "
        "layers, d_model 128), loses it on the way. Six padding tokens after ten others then move the encoder's output "
        "by 0.6 to 1.4, in 20 models before training, and get 36 to 40% of the last layer's cross-attention "
        "(tests/benchmarks/padding_leak.py). This app makes masks from the ids and passes them on explicitly."
    )


def _choose_sentence() -> tuple[TrainedModel, str, int]:
    """A model, a sentence in its language, and how many padding tokens follow it."""
    left, middle, right = st.columns([3, 4, 2])
    model = choose_model(current_workspace(), left)
    example = model.first_example
    with middle:
        label = f"A sentence in {model.source_language}" if model.source_language else "A sentence"
        text = text_input(label, example.source if example else "", "text", max_chars=200)
    with right:
        num_pads = slider("Padding tokens after it", 1, MAX_PADS, 6, "pads")
    words = text.split()
    if len(words) > MAX_WORDS:
        st.caption(f"Only the first {MAX_WORDS} words are read.")
    return model, " ".join(words[:MAX_WORDS]), num_pads


def _show_outcomes(found: PaddingComparison) -> None:
    """The three readings beside each other, and what differs in a sentence."""
    pads = f"{found.num_pads} padding token{'s' if found.num_pads > 1 else ''}"
    outcomes = {
        "Without padding": found.alone,
        f"{pads}, masked": found.masked,
        f"{pads}, mask left out": found.unmasked,
    }
    for column, (title, outcome) in zip(st.columns(3, border=True), outcomes.items(), strict=True):
        with column:
            _show_outcome(title, outcome, outcome is found.alone)
    same = found.masked.translation == found.alone.translation
    kept = found.unmasked.translation == found.alone.translation
    st.markdown(
        f"With the mask, the translation **{'stays as it was' if same else 'changes, by rounding alone'}**. Without "
        "it, "
        + (
            "it happens to stay the same this time, though the model attended to padding: add more padding."
            if kept
            else "it **becomes another one**, because of tokens that have no meaning."
        )
    )


def _show_outcome(title: str, outcome: PaddingOutcome, alone: bool) -> None:
    st.markdown(f"**{title}**")
    st.markdown(f"#### {plain(outcome.translation) or '(nothing)'}{'' if outcome.finished else ' …'}")
    if alone:
        st.markdown("What it should be, whatever else is in the batch.")
        return
    effect = outcome.effect
    st.markdown(
        f"Encoder's output moves by **{_moved(effect.change)}**  \n"
        f"Attention on padding: **{effect.encoder_share.mean():.0%}** in the encoder, "
        f"**{effect.cross_share.mean():.0%}** in cross-attention"
    )


def _show_shares(effect: PaddingEffect) -> None:
    st.markdown(
        "**Mask left out: how much of each head's attention goes to padding, in percent.** With the mask it is exactly 0 "
        "everywhere."
    )
    show_figures(
        padding_shares_figures(effect),
        alt=f"Attention to padding by layer and head; mean {effect.encoder_share.mean():.0%} in the encoder, "
        f"{effect.cross_share.mean():.0%} in cross-attention",
        key="shares",
        across=2,
    )


def _moved(change: float) -> str:
    """A difference, or that it is rounding alone."""
    if change < _ROUNDING:
        return "0, but for rounding" if change else "0"
    return f"{change:.2f}"


WITHOUT_PADDING = View(_show_without_padding, (padding_comparison,), is_long=True)
