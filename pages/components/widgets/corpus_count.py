"""How long the sentences of a corpus are, or how far their counting is."""

from __future__ import annotations

import streamlit as st

from core.classroom.corpora import CorpusCount, SentenceLengths
from core.corpora.corpus import Split
from pages.components.app.findings import corpus_count, forget_count
from pages.components.widgets.words import plain

_PATIENCE = 0.8  # seconds: what is counted by then needs no progress bar
_SECONDS_BETWEEN = 1.0  # drawings of the progress


def show_count(name: str, split: Split) -> SentenceLengths | None:
    """How long the sentences are; while they are counted, or where they cannot be, people see that instead."""
    count = corpus_count(name, split)
    if not count.wait(_PATIENCE):
        st.fragment(_draw, run_every=_SECONDS_BETWEEN)(count)
    elif count.error:
        st.error(plain(count.error), icon=":material/error:")
        forget_count(name, split)
    return count.lengths


def _draw(count: CorpusCount) -> None:
    if count.wait(0):
        st.rerun()
    st.progress(
        count.share, text="Counting words and subwords; the first visitor to a corpus waits a few seconds."
    )
