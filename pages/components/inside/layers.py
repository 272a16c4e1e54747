"""The lens: what each layer would say."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.figures.model_inside import lens_figure
from core.interpretability.lens import Lens, LensKind, decoder_lens, logit_lens
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import plain

_KINDS: dict[LensKind, str] = {"decoder": "Each decoder layer", "encoder": "Each encoder layer"}
_LENSES = {"decoder": logit_lens, "encoder": decoder_lens}


def lens_view(opened: OpenedSentence) -> View:
    """When the model "knew" each word."""
    return View(partial(_show, opened), (logit_lens, decoder_lens))


def _show(opened: OpenedSentence) -> None:
    kind = choose("Read the prediction after …", _KINDS, key="lens", hide_label=True)
    lens = opened.find(f"lens of the {kind}", lambda read: _LENSES[kind](read.tracer, read.pair))
    title = (
        "decoder layer that predicts" if kind == "decoder" else "encoder layer that the decoder attends to"
    )
    figure = lens_figure(
        lens.predicted_tokens,
        lens.tokens,
        lens.probability,
        lens.final_probability,
        lens.final_rank,
        title,
    )
    show_figure(figure, alt=_alt(lens), key="lens_figure")
    st.caption(
        f"{_known(lens)} Each row is a step of the translation. Bold: the word that was written. Color: how likely "
        "that word is there. Hover for its rank. The figure does not show that a layer *means* these words: layers are "
        "trained to feed the next one, and only the last to predict."
    )


def _known(lens: Lens) -> str:
    """The word that settles last, in words."""
    settled = [
        (since, token)
        for since, token in zip(lens.known_since, lens.predicted_tokens, strict=True)
        if since is not None
    ]
    if not settled:
        return ""
    layer, token = max(settled, key=lambda each: each[0])
    early = sum(since < len(lens.tokens) - 1 for since, _ in settled)
    return (
        f"**{early} of {len(lens.predicted_tokens)} tokens** are settled before the last layer; “{plain(token)}” is "
        f"settled after layer {layer}."
    )


def _alt(lens: Lens) -> str:
    return (
        f"What each {lens.kind} layer would predict at each of {len(lens.predicted_tokens)} steps, with its "
        "probability"
    )
