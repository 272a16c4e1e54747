"""Three sentences to edit, as the batch of ids that masks are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import streamlit as st

from core.corpora.toy import PAIRS
from core.pipeline import Ids, pad
from core.tokens.vocabulary import PAD, START
from core.tokens.word import WordTokenizer

MAX_WORDS = 10  # of a sentence
_MAX_TEXT = 2000  # characters that are looked at
_SENTENCES = ("i like tensorflow", "where is the station", "thank you")


@dataclass(frozen=True, eq=False)
class EditableBatch:
    """Padded sentences, as words and as ids."""

    words: tuple[tuple[str, ...], ...]  # (B, S), pads included
    ids: Ids  # (B, S)


def edit_batch(start: bool) -> EditableBatch:
    """Three text boxes, and what they hold as a batch.

    Args:
        start: whether each sentence begins with the start token, as what the decoder reads.
    """
    texts = [
        column.text_input(
            f"Sentence {number}", text, max_chars=200, key=f"sentence_{number}", bind="query-params"
        )
        for number, (column, text) in enumerate(zip(st.columns(3), _SENTENCES, strict=True), start=1)
    ]
    sentences = [_tokenizer().tokens(text[:_MAX_TEXT]) for text in texts]
    if any(len(words) > MAX_WORDS for words in sentences):
        st.caption(f"Only the first {MAX_WORDS} words of a sentence are read.")
    batch = batch_of([words[:MAX_WORDS] for words in sentences], start)
    if (batch.ids == _tokenizer().vocabulary.unknown_id).any():
        st.caption(
            "A word that the classroom's vocabulary does not have gets the id 1. A mask does not mind: it only asks "
            "whether the id is 0."
        )
    return batch


def choose_sentence() -> int:
    """Which sentence of the batch is looked at, from 1."""
    number = st.segmented_control(
        "Sentence", [1, 2, 3], default=1, required=True, key="which", bind="query-params"
    )
    return number or 1


def batch_of(sentences: list[list[str]], start: bool) -> EditableBatch:
    """Pad sentences of words to the longest."""
    tokens = [[START, *words] if start else words for words in sentences]
    longest = max(map(len, tokens))
    vocabulary = _tokenizer().vocabulary
    ids = pad([[vocabulary.id_of(token) for token in row] for row in tokens], longest)
    return EditableBatch(tuple((*row, *[PAD] * (longest - len(row))) for row in tokens), ids)


@cache
def _tokenizer() -> WordTokenizer:
    return WordTokenizer.fit((pair.target for pair in PAIRS), start_and_end=True)
