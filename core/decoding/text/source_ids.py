"""A sentence as the ids that a model reads."""

from __future__ import annotations

import unicodedata

from core.config import ModelConfig
from core.decoding.text.translation_error import TranslationError
from core.tokens.base import Tokenizer
from core.tokens.characters import ASCII_MARKS


def encode_source(tokenizer: Tokenizer, config: ModelConfig, sentence: str, row: int = 0) -> list[int]:
    """The ids of a sentence that the model can read.

    Raises:
        TranslationError: it is empty or too long; `row` is its row.
    """
    ids = tokenizer.encode(sentence)
    if not ids:
        raise _no_words(sentence, row)
    if len(ids) > config.max_source_length:
        raise TranslationError(
            f"The sentence has {len(ids):,} tokens; this model reads at most "
            f"{config.max_source_length}. Shorten it or split it.",
            row,
        )
    return ids


def has_words(tokenizer: Tokenizer, sentence: str) -> bool:
    """Whether there is something to translate: letters, digits, or other signs that the model knows.

    Punctuation and unknown emoji are none: a model makes anything of them, or repeats them.
    """
    if any(map(str.isalnum, sentence)):
        return bool(tokenizer.tokens(sentence))
    known = tokenizer.vocabulary
    return any(token in known for token in tokenizer.tokens(sentence) if not all(map(_is_mark, token)))


def check_has_words(tokenizer: Tokenizer, sentence: str, row: int = 0) -> None:
    """Refuse a text of which no sentence has words.

    Raises:
        TranslationError: it is such a text; `row` is its row.
    """
    if not has_words(tokenizer, sentence):
        raise _no_words(sentence, row)


def _no_words(sentence: str, row: int) -> TranslationError:
    return TranslationError(
        f"There are no words to translate (punctuation and emoji do not count). "
        f"Type a sentence. Received: {sentence!r:.80}",
        row,
    )


def _is_mark(character: str) -> bool:
    return character in ASCII_MARKS or unicodedata.category(character).startswith("P")
