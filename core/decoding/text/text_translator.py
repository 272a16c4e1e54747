"""What texts are translated with: a model in this process, or one behind an address. Loads no TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.config import DecodingConfig, ModelConfig
from core.records import Translation
from core.tokens.base import Tokenizer

GREEDY = DecodingConfig()
WEIGHTS_OVERFLOW = (
    "This model's weights are too large to compute with. Train it again with a lower learning rate."
)


class TranslationError(ValueError):
    """A text that cannot be translated; the message says what to do.

    Args:
        message: for people.
        row: which of the sentences it is, from 0.
    """

    def __init__(self, message: str, row: int = 0) -> None:
        super().__init__(message)
        self.row = row


def check_finite(values: NDArray[np.floating]) -> None:
    """Raise where a model's weights have overflowed.

    Raises:
        TranslationError: they have.
    """
    if not np.isfinite(values).all():
        raise TranslationError(WEIGHTS_OVERFLOW)


class TextTranslator(Protocol):
    """What pages and texts of several sentences need of a `Translator`; its methods are explained there."""

    config: ModelConfig
    source_tokenizer: Tokenizer

    def check(self, sentences: Sequence[str]) -> None: ...

    def translate_typed(
        self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY
    ) -> list[Translation]: ...

    def explain(self, translation: Translation) -> Translation: ...


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
