"""Three sentences to edit, as the batch of ids that masks are made from."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.tokens.base import Ids, pad
from core.tokens.vocabulary import PAD, START
from pages.components.lesson.classroom_words import english_words
from pages.components.lesson.three_sentences import edit_sentences
from pages.components.widgets import remembered

MAX_WORDS = 10  # of a sentence
_SENTENCES = ("i like tensorflow", "where is the station", "thank you")


@dataclass(frozen=True, eq=False)
class EditableBatch:
    """Padded sentences, as words and as ids."""

    words: tuple[tuple[str, ...], ...]  # (B, S), padding included
    ids: Ids  # (B, S)


def edit_batch(start: bool) -> EditableBatch:
    """Three text boxes, and what they hold as a batch.

    Args:
        start: whether each sentence begins with the start token, as the decoder's input does.
    """
    sentences = [english_words().tokens(text) for text in edit_sentences(_SENTENCES, "masked_sentence")]
    if any(len(words) > MAX_WORDS for words in sentences):
        st.caption(f"Only the first {MAX_WORDS} words of a sentence are read.")
    batch = batch_of([words[:MAX_WORDS] for words in sentences], start)
    if (batch.ids == english_words().vocabulary.unknown_id).any():
        st.caption(
            "A word that the classroom's vocabulary does not have gets the id 1. That does not matter to a mask, which "
            "depends only on whether the id is 0."
        )
    return batch


def choose_row() -> int:
    """One sentence of the batch, from 1."""
    return remembered.choose("Sentence", (1, 2, 3), "which")


def batch_of(sentences: list[list[str]], start: bool) -> EditableBatch:
    """Pad sentences of words to the longest."""
    tokens = [[START, *words] if start else words for words in sentences]
    longest = max(map(len, tokens))
    vocabulary = english_words().vocabulary
    ids = pad([[vocabulary.id_of(token) for token in row] for row in tokens], longest)
    return EditableBatch(tuple((*row, *[PAD] * (longest - len(row))) for row in tokens), ids)
