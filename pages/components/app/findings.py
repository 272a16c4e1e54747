"""What was computed once about a model or a corpus, and all sessions of a server share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from core.classroom.corpora import SentenceLengths, read_split, sentence_lengths
from core.classroom.jobs import compute_gate
from core.classroom.models import TrainedModel
from core.corpora.catalogue import CORPORA
from core.corpora.corpus import Split
from core.interpretability.padding import padding_comparison
from core.records import PaddingComparison
from pages.components.app.models import model_for_corpus

Finding = TypeVar("Finding")


def lengths_of(name: str, split: Split) -> SentenceLengths:
    """Return how long a split's sentences are, in words and in the subwords of a shipped model; nobody may change it.

    Raises:
        CorpusError: the split is not there, or is damaged.
    """
    model = model_for_corpus(CORPORA[name])
    return _lengths_of(name, split, model.id if model else "", model)


@st.cache_resource(
    show_spinner="Counting words and subwords. The first time, this takes a few seconds.", max_entries=6
)
def _lengths_of(name: str, split: Split, model_id: str, _model: TrainedModel | None) -> SentenceLengths:
    tokenizers = None
    if _model is not None:
        tokenizers = (_model.checkpoint.source_tokenizer, _model.checkpoint.target_tokenizer)
    return sentence_lengths(read_split(name, split), tokenizers)


@st.cache_data(show_spinner=False, max_entries=64)
def padding_comparison_of(
    model_id: str, sentence: str, num_pads: int, _model: TrainedModel
) -> PaddingComparison:
    """What pads do to a sentence that a model reads, with its padding mask and without.

    Raises:
        TranslationError: the sentence has no words or too many.
    """
    with compute_gate():
        return padding_comparison(_model.translator, sentence, num_pads)


@st.cache_resource(show_spinner="Computing. A long sentence takes some seconds.", max_entries=128)
def kept_finding(
    model_id: str, what: str, content: tuple[Hashable, ...], _find: Callable[[], Finding]
) -> Finding:
    """What was found inside a model for some content, computed once; nobody may change it.

    Args:
        model_id: of the model.
        what: kind of finding.
        content: all that the finding depends on, beside the model.

    Raises:
        TranslationError: it cannot be had.
    """
    with compute_gate():
        return _find()
