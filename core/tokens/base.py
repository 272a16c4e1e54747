"""The interface of all tokenizers, and ids as a padded matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.tokens.vocabulary import Vocabulary

Ids = NDArray[np.int32]

MAX_TOKENS = 100  # of a side of a training pair; few sentences have more, and they take the most memory


class Tokenizer(ABC):
    """Text to ids and back. `tokens` and `encode` of one text have the same length.

    Args:
        vocabulary: the tokens it knows; every other one gets the unknown id.
    """

    kind: str  # its name in a checkpoint's config.json

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @abstractmethod
    def tokens(self, text: str) -> list[str]:
        """The text split into token strings as they stand in it, unknown ones included."""

    def encode(self, text: str) -> list[int]:
        """The ids of `tokens(text)`, without start and end."""
        return [self.vocabulary.id_of(token) for token in self.tokens(text)]

    def decode(self, ids: Sequence[int]) -> str:
        """The detokenized text of the ids, without pad, start and end."""
        return self.detokenized(self.decode_words(ids))

    @abstractmethod
    def detokenized(self, text: str) -> str:
        """The text as `decode` would write it; translations are compared with it."""

    @abstractmethod
    def decode_words(self, ids: Sequence[int]) -> str:
        """The words of the ids, joined with spaces."""

    @abstractmethod
    def normalized(self, text: str) -> str:
        """The words of the text, joined with spaces: what `decode_words` gives for its ids if all are known."""


def pad(sequences: Sequence[Sequence[int] | Ids], length: int | None = None) -> Ids:
    """Return sequences of ids as one matrix (B, length), padded with 0; by default to the longest."""
    length = max(map(len, sequences)) if length is None else length
    matrix = np.zeros((len(sequences), length), np.int32)
    for row, ids in enumerate(sequences):
        matrix[row, : len(ids)] = ids
    return matrix
