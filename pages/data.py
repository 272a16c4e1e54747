"""Data: the sentence pairs that models learn from, and how long they are."""

from collections.abc import Sequence

import streamlit as st

from core.corpora.catalogue import CORPORA, sample_pairs
from core.corpora.corpus import Corpus, Split
from core.errors import InputError
from core.figures.plotly.training import lengths_figure
from core.language import N_, _, ngettext, number
from core.records.text import Pair
from core.server.corpora import SentenceLengths, available_corpora, read_split, sentence_lengths
from core.server.trained_model import TrainedModel
from core.tokens.word import normalize
from pages.components.explaining.figure import show_figure
from pages.components.explaining.view import View, show_heading, show_view
from pages.components.frame.visit import Visit
from pages.components.model.choice import model_for_corpus
from pages.components.widgets.sentence_table import choose_page, show_sentences
from pages.components.widgets.state import choose, text_input, toggle
from pages.components.widgets.telling import show_problem
from pages.content.markdown import plain

_LENGTHS_SAMPLE = 2000  # pairs whose lengths are counted: all of the TED talks would take seconds


def _choose_split() -> tuple[Corpus, Split]:
    """Return the chosen corpus and split."""
    corpora = available_corpora()
    titles = {name: corpus.title for name, corpus in corpora.items()}
    first = next((name for name, corpus in corpora.items() if corpus.splits != ("train",)), "toy")
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        corpus = corpora[choose(_("Corpus"), titles, key="corpus", default=first, look="menu")]
    splits = corpus.available_splits()
    if len(splits) == 1:
        return corpus, splits[0]
    with right:
        return corpus, choose(_("Split"), {split: _(split) for split in splits}, key="split")


def _find(pairs: Sequence[Pair], wanted: str) -> list[int]:
    """Return the numbers, from 1, of the pairs that contain a text, ignoring case."""
    if not wanted:
        return list(range(1, len(pairs) + 1))
    text = wanted.casefold()
    return [
        place
        for place, pair in enumerate(pairs, start=1)
        if text in pair.source.casefold() or text in pair.target.casefold()
    ]


@st.cache_data(show_spinner=False, max_entries=6)
def _source_lengths(corpus: str, split: Split) -> list[int]:
    """Return the words in the source of each pair, counted as in the figure."""
    return [len(normalize(pair.source).split()) for pair in read_split(corpus, split)]


def _show_pairs(corpus: Corpus, split: Split, pairs: Sequence[Pair]) -> None:
    """Show a page of the pairs, or of those that contain the searched text, and below them how to choose others."""
    count = len(pairs)
    st.subheader(ngettext("{count} pair", "{count} pairs", count).format(count=number(count, ",")))
    sentences = st.container()
    left, middle, right = st.columns([4, 3, 2], vertical_alignment="bottom")
    with left:
        hint = _("A word or part of a word")
        wanted = text_input(
            _("Search in both languages"), "", key="pairs_search", placeholder=hint, max_chars=200
        ).strip()
    with middle:
        hint = _("By the number of words in the source.")
        longest_first = toggle(_("Longest first"), False, key="longest_first", help=hint)
    found = _find(pairs, wanted)
    if longest_first:
        with st.spinner(_("Counting words.")):
            lengths = _source_lengths(corpus.name, split)
        found.sort(key=lambda place: -lengths[place - 1])
    with right:
        shown = choose_page(found, "page", (corpus.name, split, wanted, longest_first))
    if not found:
        sentences.info(_("No pair contains this text."), icon=":material/search_off:")
        return
    if wanted:
        st.caption(
            _("{count} of {total} pairs contain “{text}”.").format(
                count=number(len(found), ","), total=number(len(pairs), ","), text=plain(wanted)
            )
        )
    with sentences:
        show_sentences(
            {
                _("Pair"): [number(place, ",") for place in shown],
                _("Source"): [pairs[place - 1].source for place in shown],
                _("Target"): [pairs[place - 1].target for place in shown],
            },
            _("Sentence pairs of the corpus"),
        )


_UNITS = (N_("subwords"), N_("words"))
_LENGTHS_ALTS = {
    "subwords": N_("Histogram of sentence lengths in subwords, the longest marked"),
    "words": N_("Histogram of sentence lengths in words, the longest marked"),
}


@st.cache_resource(
    show_spinner=False,
    max_entries=6,
    hash_funcs={TrainedModel: lambda model: model.id},
)
def _lengths_of(
    name: str, split: Split, model: TrainedModel | None
) -> tuple[SentenceLengths, SentenceLengths | None]:
    """Return sentence lengths of up to `_LENGTHS_SAMPLE` pairs in words and in a model's subwords; do not change them."""
    checkpoint = model.checkpoint if model else None
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer) if checkpoint else None
    return sentence_lengths(sample_pairs(read_split(name, split), _LENGTHS_SAMPLE), tokenizers)


def _show_lengths(corpus: Corpus, split: Split, is_sample: bool) -> None:
    """Show the sentence lengths in words, and in subwords where a shipped model fits the corpus."""
    st.subheader(_("How long the sentences are"))
    model = model_for_corpus(corpus)
    with st.spinner(_("Counting words and subwords.")):
        words, subwords = _lengths_of(corpus.name, split, model)
    unit = "words"
    shown = words
    if subwords is not None:
        unit = choose(_("Count"), {unit: _(unit) for unit in _UNITS}, key="length_unit")
        if unit == "subwords":
            shown = subwords
    show_figure(
        lengths_figure(shown, unit, is_sample),
        alt=_(_LENGTHS_ALTS[unit]),
        key="data_lengths",
    )
    if subwords is not None and model is not None:
        st.caption(
            _(
                "Subwords of {model}: a frequent word is one subword, a rare word several. So a few thousand subwords "
                "can spell any word."
            ).format(model=plain(model.name))
        )


def _choose_pairs() -> tuple[Corpus, Split, Sequence[Pair]] | None:
    """Return the chosen pairs; None, with a message, if they cannot be read."""
    corpus, split = _choose_split()
    try:
        with st.spinner(_("Reading the pairs.")):
            return corpus, split, read_split(corpus.name, split)
    except InputError as error:
        show_problem(error)
        return None


def _show_data(chosen: tuple[Corpus, Split, Sequence[Pair]]) -> None:
    corpus, split, pairs = chosen
    left, right = st.columns([4, 3], gap="medium")
    with left:
        _show_pairs(corpus, split, pairs)
    with right:
        _show_lengths(corpus, split, len(pairs) > _LENGTHS_SAMPLE)
    missing = [each for each in CORPORA.values() if not each.is_available]
    more = ""
    if missing:
        more = " " + _(
            "{count} larger corpora can be downloaded from the command line, for example the TED talks with `{command}`."
        ).format(count=len(missing), command=f"python -m core data {missing[0].name}")
    st.caption(_("License: {licence}.").format(licence=plain(corpus.licence)) + more)


def main(visit: Visit) -> None:
    show_heading(visit)
    show_view(visit, "data", View(_choose_pairs, _show_data, is_long=True))
