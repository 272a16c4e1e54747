"""The pairs of a corpus, page by page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.corpora.corpus import Corpus, Split
from core.records import Pair
from pages.components.widgets.drawing.tables import ROW_HEIGHT, are_long
from pages.components.widgets.numbers import number_input
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import plain

ROWS_A_PAGE = 50
_TEXT_WIDTH = 420  # pixels, of a sentence's column


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
    long = are_long(text for number in rows for text in (pairs[number].source, pairs[number].target))
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
        row_height=ROW_HEIGHT if long else None,
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
