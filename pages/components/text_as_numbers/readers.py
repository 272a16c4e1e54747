"""The two ways to cut a text that stand side by side: into words, and into pieces of words."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.corpora.toy import PAIRS
from core.figures.id_table import IdCell, Kind
from core.pipeline import prepare_words
from core.presets import CLASSROOM
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import Vocabulary
from pages.components.resources import shipped_models
from pages.components.words import plain

MAX_CHARACTERS = 2000  # of a text that are read: a sentence of 300 words has some 1,700
FIRST_TEXT = "i am a triceratops"


@dataclass(frozen=True)
class Reader:
    """A tokenizer and what its vocabulary was made from."""

    title: str
    vocabulary: str  # in Markdown
    tokenizer: Tokenizer

    def cells(self, text: str) -> tuple[IdCell, ...]:
        """The tokens of a text with their ids; only its first MAX_CHARACTERS are read."""
        read = text[:MAX_CHARACTERS]
        return cells_of(self.tokenizer.tokens(read), self.tokenizer.encode(read), self.tokenizer.vocabulary)


def word_reader() -> Reader:
    """The words of the English side of the fifteen classroom pairs."""
    tokenizer = prepare_words(PAIRS, CLASSROOM.model)[0].target_tokenizer
    size = len(tokenizer.vocabulary)
    return Reader("Words", f"the English of the fifteen classroom pairs, {size} entries", tokenizer)


def piece_reader() -> Reader | None:
    """The pieces of the first shipped model that has pieces; None where no such model is shipped."""
    model = next((model for model in shipped_models() if model.is_subword), None)
    if model is None:
        return None
    tokenizer = model.checkpoint.target_tokenizer
    return Reader("Pieces", f"{plain(model.name)}, {len(tokenizer.vocabulary):,} entries", tokenizer)


def choose_reader() -> Reader:
    """Words or pieces."""
    pieces = piece_reader()
    if pieces is None:
        st.caption("Read as words: this copy of the app comes without a vocabulary of pieces.")
        return word_reader()
    chosen = st.segmented_control(
        "Tokens are",
        ["words", "pieces"],
        default="words",
        required=True,
        format_func=str.capitalize,
        key="tokens",
        bind="query-params",
    )
    return pieces if chosen == "pieces" else word_reader()


def ask_text() -> str:
    """The text that two of the views look at."""
    text: str = st.text_input(
        "A word or a sentence in English",
        FIRST_TEXT,
        max_chars=MAX_CHARACTERS,
        key="english",
        bind="query-params",
    )
    if len(text) > MAX_CHARACTERS:  # from an address, which no box held back
        st.caption(f"Only the first {MAX_CHARACTERS:,} characters are read.")
    return text


def cells_of(tokens: list[str], ids: list[int], vocabulary: Vocabulary) -> tuple[IdCell, ...]:
    """Tokens with their ids and what kind each is."""
    return tuple(
        IdCell(token, token_id, kind_of(token_id, vocabulary))
        for token, token_id in zip(tokens, ids, strict=True)
    )


def kind_of(token_id: int, vocabulary: Vocabulary) -> Kind:
    """What an id stands for."""
    if token_id == vocabulary.pad_id:
        return "pad"
    if token_id == vocabulary.unknown_id:
        return "unknown"
    if vocabulary.has_start_and_end and token_id == vocabulary.start_id:
        return "start"
    if vocabulary.has_start_and_end and token_id == vocabulary.end_id:
        return "end"
    return "word"
