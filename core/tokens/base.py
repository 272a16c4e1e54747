"""The interface of all tokenizers, and padding of ids. Axis letters: see `core.config`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from core.arrays import Ids
from core.tokens.vocabulary import PAD_ID, Vocabulary

MAX_TOKENS = 100  # per side of a training pair; the few longer sentences would take the most memory


class Tokenizer(ABC):
    """Converts text to ids and back. `tokens` and `encode` of one text have the same length."""

    kind: str  # word or subword

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @abstractmethod
    def tokens(self, text: str) -> list[str]:
        """Split the text into token strings as they stand in it, unknown ones included."""

    def encode(self, text: str) -> list[int]:
        """Return the ids of `tokens(text)`, without start and end."""
        return [self.vocabulary.id_of(token) for token in self.tokens(text)]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the detokenized text of the ids, without pad, start and end."""
        return self.detokenized(self.decode_words(ids))

    @abstractmethod
    def detokenized(self, text: str) -> str:
        """Return the text as `decode` would write it, for comparison with translations."""

    @abstractmethod
    def decode_words(self, ids: Sequence[int]) -> str:
        """Return the words of the ids, joined with spaces."""

    @abstractmethod
    def normalized(self, text: str) -> str:
        """Return the words of the text, joined with spaces, as `decode_words` returns them for its ids."""


def pad(sequences: Sequence[Sequence[int] | Ids], length: int | None = None) -> Ids:
    """Return sequences of ids as one matrix (B, length), with padding; the default length is the longest."""
    length = max(map(len, sequences)) if length is None else length
    matrix = np.full((len(sequences), length), PAD_ID, np.int32)
    for row, ids in enumerate(sequences):
        matrix[row, : len(ids)] = ids
    return matrix
