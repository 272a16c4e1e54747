"""How many tokens the sentences of a corpus have, and what a length limit would leave out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.classroom.corpora.corpus_reading import corpora_here
from core.corpora.catalogue import Corpus
from core.corpora.split import Split
from core.figures.lengths import lengths_figure, lengths_info
from core.metrics.corpus_statistics import RANDOM_BATCH, CorpusStatistics, random_padding
from pages.components.app.models import model_for_corpus
from pages.components.lesson.exercises import text_as_numbers as exercises
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.widgets import remembered
from pages.components.widgets.corpus_count import show_count
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.numbers import slider
from pages.components.widgets.words import plain

_FIRST = "toy"  # always here, and quickly counted
_CHEAPEST: Split = "validation"  # the smallest split of a large corpus
_USUAL_LIMIT = 95  # percent of all sentences that are within the first limit


def _show_lengths() -> None:
    corpus, split = _choose_split()
    model = model_for_corpus(corpus)
    statistics = show_count(corpus.name, split)
    if statistics is None:
        return
    unit = remembered.choose("Count", ("words", "subwords"), "unit", default="subwords") if model else "words"
    lengths = statistics.lengths(subwords=unit == "subwords")
    info = lengths_info(lengths, unit)
    show_figure(
        lengths_figure(info),
        alt=f"Histogram of {unit} per sentence; "
        + ", ".join(f"longest {side} {longest}" for side, longest in info.longest.items()),
        key="text_lengths",
    )
    everything = np.concatenate([np.asarray(values) for values in lengths.values()])
    usual = max(1, int(np.percentile(everything, _USUAL_LIMIT)))
    limit = slider(f"Length limit, in {unit}", 1, int(everything.max()), usual, "limit")
    st.markdown(_describe_limit(limit, unit, lengths))
    st.caption(
        _describe_padding(statistics) + (f" The subwords are those of {plain(model.name)}." if model else "")
    )


def _choose_split() -> tuple[Corpus, Split]:
    corpora = corpora_here()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    titles = {name: corpus.title for name, corpus in corpora.items()}
    with left:
        corpus = corpora[remembered.choose("Corpus", titles, "text_corpus", default=_FIRST, look="menu")]
    with right:
        key = f"part_{corpus.name}"
        return corpus, remembered.choose("Split", corpus.splits_here, key, default=_CHEAPEST)


def _describe_limit(limit: int, unit: str, lengths: dict[str, Sequence[int]]) -> str:
    """How many pairs it keeps, and how much of their batches is padding."""
    source, target = (np.asarray(values) for values in lengths.values())
    kept = (source <= limit) & (target <= limit)
    text = (
        f"**{int(kept.sum()):,} of {len(kept):,}** pairs have at most {limit} {unit if limit > 1 else unit[:-1]} "
        "on either side."
    )
    if not kept.any():
        return text
    padding = random_padding(source[kept], target[kept] + 1)
    return (
        f"{text} In batches of {min(RANDOM_BATCH, int(kept.sum()))} of them at random, **{padding:.0%}** of the "
        "positions are padding."
    )


def _describe_padding(statistics: CorpusStatistics) -> str:
    pairs = min(RANDOM_BATCH, len(statistics.source.words))
    return (
        f"With all pairs: {statistics.random_padding:.0%} in random batches of {pairs}, and "
        f"{statistics.bucketed_padding:.0%} in batches of similar length."
    )


LENGTHS = View(
    "Sentence length",
    _show_lengths,
    Lesson(
        notice="Most sentences are short and a few are very long. The longest sentence of a batch sets its length, so "
        "one long sentence pads all the others. A length limit and length-bucketed batches save most of that.",
        formulas=(
            Formula(
                r"\text{padding} = 1 - \frac{\sum_b \mathrm{length}_b}{B \cdot \max_b \mathrm{length}_b}",
                "The share of padding on one side of a batch; Vaswani et al. 2017, section 5.1, batches by length",
            ),
        ),
        code=(random_padding, lengths_info),
        exercise=exercises.LENGTHS,
    ),
)
