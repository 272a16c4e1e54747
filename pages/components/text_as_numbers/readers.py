"""The two ways to cut a text into tokens that the page compares: words and subwords."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.figures.id_table import IdCell, Kind
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import Vocabulary
from pages.components.app.models import shipped_models
from pages.components.lesson.classroom_words import english_words
from pages.components.lesson.three_sentences import MAX_CHARACTERS
from pages.components.text_as_numbers.first_texts import ENGLISH, FirstTexts
from pages.components.widgets import remembered
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import plain


@dataclass(frozen=True)
class Reader:
    """A tokenizer, and where its vocabulary comes from."""

    title: str
    vocabulary: str  # in Markdown
    tokenizer: Tokenizer

    def cells(self, text: str) -> tuple[IdCell, ...]:
        """The tokens of a text with their ids."""
        return cells_of(self.tokenizer.tokens(text), self.tokenizer.encode(text), self.tokenizer.vocabulary)


def word_reader() -> Reader:
    """The words of the English side of the fifteen classroom pairs."""
    size = len(english_words().vocabulary)
    return Reader("Words", f"the English of the fifteen classroom pairs, {size} entries", english_words())


def subword_reader() -> Reader | None:
    """English subwords of the first shipped model that writes or reads English; None where there is none."""
    for model in shipped_models():
        sides = {
            model.target_language: model.checkpoint.target_tokenizer,
            model.source_language: model.checkpoint.source_tokenizer,
        }
        if ENGLISH.language in sides:
            tokenizer = sides[ENGLISH.language]
            return Reader(
                "Subwords", f"{plain(model.name)}, {len(tokenizer.vocabulary):,} entries", tokenizer
            )
    return None


def choose_reader() -> Reader:
    """Words or subwords."""
    subwords = subword_reader()
    if subwords is None:
        st.caption("Read as words: this copy of the app comes without an English subword vocabulary.")
        return word_reader()
    chosen = remembered.choose("Tokens are", {"words": "Words", "subwords": "Subwords"}, "tokens")
    return subwords if chosen == "subwords" else word_reader()


def ask_text(first: FirstTexts) -> str:
    """A text to type."""
    label = f"A word or a sentence in {first.language}"
    return text_input(label, first.text, first.text_key, max_chars=MAX_CHARACTERS)


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
