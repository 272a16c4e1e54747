"""A sentence as the ids that a model reads."""

from __future__ import annotations

from core.config import ModelConfig
from core.decoding.text.translation_error import TranslationError
from core.tokens.base import Tokenizer


def encode_source(tokenizer: Tokenizer, config: ModelConfig, sentence: str, row: int = 0) -> list[int]:
    """The ids of a sentence that the model can read.

    Raises:
        TranslationError: it is empty or too long; `row` is its row.
    """
    ids = tokenizer.encode(sentence)
    if not ids:
        raise no_words(sentence, row)
    if len(ids) > config.max_source_length:
        raise TranslationError(
            f"The sentence has {len(ids):,} tokens; this model reads at most "
            f"{config.max_source_length}. Shorten it or split it.",
            row,
        )
    return ids


def has_words(tokenizer: Tokenizer, sentence: str) -> bool:
    """Whether there is something to translate: letters or digits that the model reads, of whatever script.

    Of signs alone, known or not, a model makes something up, or repeats them.
    """
    if any(character.isascii() and character.isalnum() for character in sentence):
        return True  # without reading the tokens of nearly every sentence once more
    return any(any(map(str.isalnum, token)) for token in tokenizer.tokens(sentence))


def check_has_words(tokenizer: Tokenizer, sentence: str, row: int = 0) -> None:
    """Raise where there is nothing to translate.

    Raises:
        TranslationError: the sentence has no words; `row` is its row.
    """
    if not has_words(tokenizer, sentence):
        raise no_words(sentence, row)


def no_words(text: str, row: int = 0) -> TranslationError:
    """The error of a text without words."""
    return TranslationError(
        f"There are no words to translate (punctuation, emoji and other signs do not count). "
        f"Type a sentence. Received: {text!r:.80}",
        row,
    )
