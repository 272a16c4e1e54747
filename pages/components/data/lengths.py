"""How long the sentences of a corpus are."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures.lengths import lengths_figure, lengths_info
from core.metrics.corpus_statistics import RANDOM_BATCH, CorpusStatistics
from core.presets import BATCH_TOKENS
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import plain


def show_statistics(statistics: CorpusStatistics, vocabulary: str) -> None:
    """How long the sentences are, in words and in subwords, and what padding would cost.

    Args:
        statistics: of the corpus.
        vocabulary: whose subwords were counted; empty where there are none.
    """
    st.subheader("How long the sentences are")
    unit = "words"
    if vocabulary:
        unit = choose("Count", ["subwords", "words"], key="data_unit", address="unit")
    lengths = statistics.lengths(subwords=unit == "subwords")
    show_figure(
        lengths_figure(lengths_info(lengths, unit)),
        alt=f"Histogram of sentence lengths in {unit}, the longest marked",
        key="data_lengths",
    )
    st.table(counts_frame(statistics))
    if vocabulary:
        st.caption(
            f"Subwords are those of the vocabulary of {plain(vocabulary)}: a frequent word is one subword, a rare one "
            "several, so a few thousand subwords can spell any word."
        )
    st.markdown(
        f"**Padding.** A batch is a tensor: shorter sentences are filled up with padding tokens. In batches of "
        f"{RANDOM_BATCH} random pairs **{statistics.random_padding:.0%}** of the positions would be padding. Training "
        f"here uses length-bucketed batches of about {BATCH_TOKENS:,} tokens: "
        f"**{statistics.bucketed_padding:.0%}**."
    )


def counts_frame(statistics: CorpusStatistics) -> pd.DataFrame:
    """Words and subwords of both languages."""
    sides = {"source": statistics.source, "target": statistics.target}
    rows = {}
    for name, side in sides.items():
        rows[name] = {
            "Words": f"{side.words.sum():,}",
            "Distinct words": f"{side.different_words:,}",
            "Mean length, words": f"{side.words.mean():.1f}",
            "Longest, words": f"{side.words.max():,}",
        }
        if side.subwords is not None:
            rows[name]["Subwords"] = f"{side.subwords.sum():,}"
            rows[name]["Subwords per word"] = f"{side.subwords_per_word:.2f}"
            rows[name]["Longest, subwords"] = f"{side.subwords.max():,}"
    return pd.DataFrame(rows)
