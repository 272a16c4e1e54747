"""Data: the sentence pairs that models learn from, and how long they are."""

from collections.abc import Sequence

import streamlit as st

from core.corpora.catalogue import CORPORA, sample_pairs
from core.corpora.corpus import Corpus, CorpusError, Split
from core.figures.plotly.training import lengths_figure
from core.records.text import Pair
from core.server.corpora import SentenceLengths, available_corpora, read_split, sentence_lengths
from core.server.trained_model import TrainedModel
from core.tokens.word import normalize
from pages.components.explaining.figure import show_figure
from pages.components.explaining.view import offer_exercise, show_heading
from pages.components.frame.menu import end_page
from pages.components.frame.visit import Visit
from pages.components.model.choice import model_for_corpus
from pages.components.widgets.markdown import plain
from pages.components.widgets.sentence_table import choose_page, show_sentences
from pages.components.widgets.state import choose, text_input, toggle
from pages.content.reader import PAGE_TEXTS

_LENGTHS_SAMPLE = 2000  # pairs whose lengths are counted: all of the TED talks would take seconds


def _choose_split() -> tuple[Corpus, Split]:
    """Return the chosen corpus and split."""
    corpora = available_corpora()
    titles = {name: corpus.title for name, corpus in corpora.items()}
    first = next((name for name in corpora if name != "toy"), "toy")
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        corpus = corpora[choose("Corpus", titles, key="corpus", default=first, look="menu")]
    splits = corpus.available_splits()
    if len(splits) == 1:
        return corpus, splits[0]
    with right:
        return corpus, choose("Split", splits, key="split")


def _find(pairs: Sequence[Pair], wanted: str) -> list[int]:
    """Return the numbers, from 1, of the pairs that contain a text, ignoring case."""
    numbers = range(1, len(pairs) + 1)
    if not wanted:
        return list(numbers)
    text = wanted.casefold()
    return [
        number
        for number, pair in zip(numbers, pairs, strict=True)
        if text in pair.source.casefold() or text in pair.target.casefold()
    ]


@st.cache_data(show_spinner="Counting words.", max_entries=6)
def _source_lengths(corpus: str, split: Split) -> list[int]:
    """Return the words in the source of each pair, counted as in the figure."""
    return [len(normalize(pair.source).split()) for pair in read_split(corpus, split)]


def _show_pairs(corpus: Corpus, split: Split, pairs: Sequence[Pair]) -> None:
    """Show a page of the pairs, or of those that contain the searched text, and below them how to choose others."""
    st.subheader(f"{len(pairs):,} pairs")
    sentences = st.container()
    left, middle, right = st.columns([4, 3, 2], vertical_alignment="bottom")
    with left:
        hint = "A word or part of a word"
        wanted = text_input(
            "Search in both languages", "", key="pairs_search", placeholder=hint, max_chars=200
        ).strip()
    with middle:
        hint = "By the number of words in the source."
        longest_first = toggle("Longest first", False, key="longest_first", help=hint)
    found = _find(pairs, wanted)
    if longest_first:
        lengths = _source_lengths(corpus.name, split)
        found.sort(key=lambda number: -lengths[number - 1])
    with right:
        shown = choose_page(found, "page", (corpus.name, split, wanted, longest_first))
    if not found:
        sentences.info("No pair contains this text.", icon=":material/search_off:")
        return
    if wanted:
        st.caption(f"{len(found):,} of {len(pairs):,} pairs contain “{plain(wanted)}”.")
    with sentences:
        show_sentences(
            {
                "Pair": [f"{number:,}" for number in shown],
                "Source": [pairs[number - 1].source for number in shown],
                "Target": [pairs[number - 1].target for number in shown],
            },
            "Sentence pairs of the corpus",
        )


@st.cache_resource(
    show_spinner="Counting words and subwords.",
    max_entries=6,
    hash_funcs={TrainedModel: lambda model: model.id},
)
def _lengths_of(
    name: str, split: Split, model: TrainedModel | None
) -> tuple[SentenceLengths, SentenceLengths | None]:
    """Return sentence lengths of up to `_LENGTHS_SAMPLE` pairs in words and in a model's subwords; do not change them.

    Raises:
        CorpusError: The split is missing or damaged.
    """
    checkpoint = model.checkpoint if model else None
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer) if checkpoint else None
    return sentence_lengths(sample_pairs(read_split(name, split), _LENGTHS_SAMPLE), tokenizers)


def _show_lengths(corpus: Corpus, split: Split, is_sample: bool) -> None:
    """Show the sentence lengths in words, and in subwords where a shipped model fits the corpus."""
    st.subheader("How long the sentences are")
    model = model_for_corpus(corpus)
    words, subwords = _lengths_of(corpus.name, split, model)
    unit = "words"
    shown = words
    if subwords is not None:
        unit = choose("Count", ["subwords", "words"], key="length_unit")
        if unit == "subwords":
            shown = subwords
    show_figure(
        lengths_figure(shown, unit, is_sample),
        alt=f"Histogram of sentence lengths in {unit}, the longest marked",
        key="data_lengths",
    )
    if subwords is not None and model is not None:
        st.caption(
            f"Subwords of {plain(model.name)}: a frequent word is one subword, a rare word several. So a few thousand "
            "subwords can spell any word."
        )


def main(visit: Visit) -> None:
    show_heading(visit)
    corpus, split = _choose_split()
    try:
        with st.spinner("Reading the pairs."):
            pairs = read_split(corpus.name, split)
    except CorpusError as error:
        st.error(plain(str(error)), icon=":material/error:")
        end_page()
    left, right = st.columns([4, 3], gap="medium")
    with left:
        _show_pairs(corpus, split, pairs)
    with right:
        _show_lengths(corpus, split, len(pairs) > _LENGTHS_SAMPLE)
    missing = [each for each in CORPORA.values() if not each.is_available]
    more = ""
    if missing:
        more = (
            f" {len(missing)} larger corpora can be downloaded from the command line, for example the TED talks with "
            f"`python -m core data {missing[0].name}`."
        )
    st.caption(f"License: {plain(corpus.licence)}.{more}")
    offer_exercise(visit, PAGE_TEXTS["data"].views["data"].exercise)
