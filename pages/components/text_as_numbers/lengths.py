"""How many tokens the sentences of a corpus have, and what a limit would cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.classroom.corpus_reading import corpora_here
from core.corpora.catalogue import Corpus
from core.corpora.delimited import CorpusError
from core.corpora.split import Split
from core.figures.lengths import lengths_figure, lengths_info
from core.metrics.corpus_statistics import RANDOM_BATCH, CorpusStatistics, random_padding
from pages.components.app.resources import corpus_statistics, model_for_corpus
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.widgets.bounded_slider import bounded_slider
from pages.components.widgets.figure import show_figure
from pages.components.widgets.words import plain

_FIRST = "toy"  # it is always here, and counted at once
_CHEAPEST: Split = "validation"  # the smallest part of a large corpus
_USUAL_LIMIT = 95  # percent of all sentences that the first limit leaves whole


def _show_lengths() -> None:
    corpus, split = _choose_split()
    model = model_for_corpus(corpus)
    try:
        with st.spinner("Reading and counting. The first time, this takes some seconds."):
            statistics = corpus_statistics(corpus.name, split, model.id if model else "", model)
    except CorpusError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    unit = _choose_unit() if model else "words"
    lengths = statistics.lengths(subwords=unit == "pieces")
    info = lengths_info(lengths, unit)
    show_figure(
        lengths_figure(info),
        alt=f"Histogram of {unit} per sentence; "
        + ", ".join(f"longest {side} {longest}" for side, longest in info.longest.items()),
        key="text_lengths",
    )
    everything = np.concatenate([np.asarray(values) for values in lengths.values()])
    usual = max(1, int(np.percentile(everything, _USUAL_LIMIT)))
    limit = bounded_slider(f"A limit, in {unit}", 1, int(everything.max()), usual, "limit")
    st.markdown(_said_of_limit(limit, unit, lengths))
    st.caption(
        _said_without_limit(statistics) + (f" Pieces are those of {plain(model.name)}." if model else "")
    )


def _choose_split() -> tuple[Corpus, Split]:
    corpora = corpora_here()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    names = list(corpora)
    name = left.selectbox(
        "Corpus",
        names,
        names.index(_FIRST),
        format_func=lambda name: corpora[name].title,
        key="text_corpus",
        bind="query-params",
    )
    corpus = corpora[name or _FIRST]
    parts = corpus.splits_here
    first = _CHEAPEST if _CHEAPEST in parts else parts[0]
    chosen = right.segmented_control(
        "Part", parts, default=first, required=True, key=f"part_{corpus.name}", bind="query-params"
    )
    return corpus, chosen if chosen in parts else first


def _choose_unit() -> str:
    unit = st.segmented_control(
        "Count", ["words", "pieces"], default="pieces", required=True, key="unit", bind="query-params"
    )
    return unit or "pieces"


def _said_of_limit(limit: int, unit: str, lengths: dict[str, Sequence[int]]) -> str:
    """How many pairs it keeps, and how much of their batches is pads."""
    source, target = (np.asarray(values) for values in lengths.values())
    kept = (source <= limit) & (target <= limit)
    said = (
        f"**{int(kept.sum()):,} of {len(kept):,}** pairs have at most {limit} {unit if limit > 1 else unit[:-1]} "
        "on either side."
    )
    if not kept.any():
        return said
    padding = random_padding(source[kept], target[kept] + 1)
    return (
        f"{said} In batches of {min(RANDOM_BATCH, int(kept.sum()))} of them at random, **{padding:.0%}** of the "
        "positions are pads."
    )


def _said_without_limit(statistics: CorpusStatistics) -> str:
    pairs = min(RANDOM_BATCH, len(statistics.source.words))
    return (
        f"With all pairs: {statistics.random_padding:.0%} in random batches of {pairs}, and "
        f"{statistics.bucketed_padding:.0%} in batches of like length."
    )


LENGTHS = View(
    "How long",
    _show_lengths,
    Lesson(
        notice="Most sentences are short and a few are very long. The longest sentence of a batch sets its length, so "
        "one long sentence makes pads of all the rest. A limit on the length, and batches of like length, save most "
        "of that.",
        formulas=(
            Formula(
                r"\text{pads} = 1 - \frac{\sum_b \mathrm{length}_b}{B \cdot \max_b \mathrm{length}_b}",
                "The part of one side of a batch that is pads; Vaswani et al. 2017, section 5.1, batches by length",
            ),
        ),
        code=(random_padding, lengths_info),
        question="A batch has sentences of 3, 5 and 20 tokens. Which part of it is pads?",
        answer="Each row gets 20 positions, 60 in all; 28 are tokens. 32 of 60 are pads: 53 %.",
    ),
)
