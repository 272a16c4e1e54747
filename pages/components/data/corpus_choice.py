"""Which corpus to look at."""

from __future__ import annotations

import streamlit as st

from core.classroom.corpora import corpora_here
from core.corpora.catalogue import CORPORA
from core.corpora.corpus import Corpus, Split
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import plain


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
            f"License: {plain(corpus.licence)}. {others} more corpora can be downloaded from the command line, "
            "for example with `python -m core data ted_ru_en`."
        )
    return corpus, split
