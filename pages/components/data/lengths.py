"""How long the sentences of a corpus are."""

from __future__ import annotations

import streamlit as st

from core.classroom.corpora import SentenceLengths
from core.figures.training import lengths_figure
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import plain


def show_lengths(lengths: SentenceLengths, vocabulary: str) -> None:
    """How long the sentences are, in words and in subwords.

    Args:
        lengths: of the corpus.
        vocabulary: whose subwords were counted; empty where there are none.
    """
    st.subheader("How long the sentences are")
    unit, shown = "words", lengths.words
    if lengths.subwords is not None:
        unit = choose("Count", ["subwords", "words"], key="data_unit", address="unit")
        if unit == "subwords":
            shown = lengths.subwords
    show_figure(
        lengths_figure(shown, unit),
        alt=f"Histogram of sentence lengths in {unit}, the longest marked",
        key="data_lengths",
    )
    if lengths.subwords is not None:
        st.caption(
            f"Subwords are those of the vocabulary of {plain(vocabulary)}: a frequent word is one subword, a rare one "
            "several, so a few thousand subwords can spell any word."
        )
