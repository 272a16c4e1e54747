"""A corpus to look at: its pairs, page by page, and its lengths."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.classroom.corpora.corpus_reading import corpora_here
from core.corpora.catalogue import CORPORA, Corpus
from core.corpora.split import Split
from core.figures.lengths import lengths_figure, lengths_info
from core.metrics.corpus_statistics import RANDOM_BATCH, CorpusStatistics
from core.presets import BATCH_TOKENS
from core.records import Pair
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.drawing.tables import ROW_HEIGHT
from pages.components.widgets.remembered import choose, number_input, text_input
from pages.components.widgets.words import plain

ROWS_A_PAGE = 50
_TEXT_WIDTH = 420  # pixels, of a sentence's column


def choose_split() -> tuple[Corpus, Split]:
    """Which corpus, and which part of it."""
    corpora = corpora_here()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        name = choose(
            "Corpus",
            {name: corpus.title for name, corpus in corpora.items()},
            key="data_corpus",
            default=next((name for name in corpora if name != "toy"), "toy"),
            address="corpus",
            look="menu",
        )
    corpus = corpora[name]
    with right:
        split = choose("Split", corpus.splits_here, key=f"data_split_{name}", address="split")
    others = sum(not corpus.is_here for corpus in CORPORA.values())
    if others:
        st.caption(
            f"Licence: {plain(corpus.licence)}. {others} more corpora can be downloaded from the command line, "
            "for example with `python -m core data ted_ru_en`."
        )
    return corpus, split


def show_pairs(corpus: Corpus, split: Split, pairs: Sequence[Pair]) -> None:
    """A page of the pairs, or of those that hold what people search for."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        wanted = text_input(
            "Search in both languages",
            "",
            key="data_search",
            placeholder="A word or a part of one",
            max_chars=200,
            address="search",
        )
    found = search(pairs, wanted)
    pages = max(1, math.ceil(len(found) / ROWS_A_PAGE))
    with right:
        page = number_input(
            f"Page of {pages:,}",
            1,
            pages,
            1,
            key=f"data_page_{corpus.name}_{split}_{wanted.casefold()}",
            address="page",
        )
    if not found:
        st.info("No pair contains this text.", icon=":material/search_off:")
        return
    if wanted.strip():
        st.caption(f"{len(found):,} of {len(pairs):,} pairs contain “{plain(wanted.strip())}”.")
    rows = found[(page - 1) * ROWS_A_PAGE : page * ROWS_A_PAGE]
    st.dataframe(
        pd.DataFrame(
            {
                "Pair": [number + 1 for number in rows],
                "Source": [pairs[number].source for number in rows],
                "Target": [pairs[number].target for number in rows],
            }
        ),
        hide_index=True,
        height=460,
        row_height=ROW_HEIGHT,
        column_config={
            "Pair": st.column_config.NumberColumn(width=70),
            "Source": st.column_config.TextColumn(width=_TEXT_WIDTH),
            "Target": st.column_config.TextColumn(width=_TEXT_WIDTH),
        },
        alt="Sentence pairs of the corpus",
    )


def search(pairs: Sequence[Pair], wanted: str) -> Sequence[int]:
    """The numbers of the pairs that have a text in them, whatever its case; all where it is blank."""
    text = wanted.strip().casefold()
    if not text:
        return range(len(pairs))
    return [
        number
        for number, pair in enumerate(pairs)
        if text in pair.source.casefold() or text in pair.target.casefold()
    ]


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
