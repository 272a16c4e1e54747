"""Source or what was said before: what each written word comes from."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from core.figures.model_inside import contributions_figure
from core.interpretability.contributions import Shares, alti_shares, possible_hallucinations
from core.interpretability.words import attention_of_words
from pages.components.inside.opened_sentence import OpenedSentence
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.words import plain


def contributions_view(opened: OpenedSentence) -> View:
    """How much of each word comes from the source."""
    return View(partial(_show, opened), (alti_shares,))


def _show(opened: OpenedSentence) -> None:
    source, target = opened.source_words, opened.target_words
    shares = opened.find("alti", _shares_of)
    before = np.concatenate([shares.prefix[:, 1:], np.zeros_like(shares.prefix[:, :1])], axis=1)
    start = shares.prefix[:, :1]
    of_source = attention_of_words(shares.source, target, source)
    of_prefix = attention_of_words(before, target, target)
    of_start = np.stack([start[list(word)].mean(axis=0) for word in target.positions])
    ahead = np.triu(np.ones(of_prefix.shape, bool))  # a word's own pieces count as said before
    own = np.diagonal(of_prefix)
    values = np.concatenate([of_source, of_start, np.where(ahead, np.nan, of_prefix)[:, :-1]], axis=1)
    share = of_source.sum(axis=1)
    marked = possible_hallucinations(target, share)
    figure = contributions_figure(
        target.texts,
        source.texts,
        ("[START]", *target.texts[:-1]),
        values,
        share,
        marked,
    )
    show_figure(
        figure,
        alt=f"Share of source and prefix in each of {len(target.texts)} written words, by ALTI+",
        key="contribution_figure",
    )
    _say_marked([target.texts[row] for row in sorted(marked)])
    st.caption(
        "Left: how much of each written word comes from the source (blue) and from the prefix, the words before it "
        "(gray). Right: from which words; the line separates source and prefix."
        + (" What a word takes from its own first subwords counts as prefix." if own.any() else "")
        + " ALTI+ follows attention and residual connections and leaves the feed-forward sublayers out: it shows where "
        "information flows, not whether it is right."
    )


def _shares_of(opened: OpenedSentence) -> Shares:
    trace = opened.tracer.trace(opened.pair.source[None], opened.pair.decoder_input[None])
    return alti_shares(opened.tracer.config, opened.model.checkpoint.weights, trace)


def _say_marked(words: list[str]) -> None:
    if not words:
        return
    named = ", ".join(f"**{plain(word)}**" for word in words)
    st.warning(
        f"Possibly hallucinated: {named}. Less than half of it comes from the source. Check it against the sentence.",
        icon=":material/warning:",
    )
