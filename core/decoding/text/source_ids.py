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
        raise TranslationError(
            f"There are no words to translate (punctuation and emoji do not count). "
            f"Type a sentence. Received: {sentence!r:.80}",
            row,
        )
    if len(ids) > config.max_source_length:
        raise TranslationError(
            f"The sentence has {len(ids):,} tokens; this model reads at most "
            f"{config.max_source_length}. Shorten it or split it.",
            row,
        )
    return ids
