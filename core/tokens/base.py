"""The interface of all tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.tokens.vocabulary import Vocabulary


class Tokenizer(Protocol):
    """Text to ids and back. `tokens` and `encode` of one text have the same length."""

    kind: str  # its name in a checkpoint's config.json

    @property
    def vocabulary(self) -> Vocabulary: ...

    def tokens(self, text: str) -> list[str]:
        """The text split into token strings as they stand in it, unknown ones included."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of `tokens(text)`, without start and end."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The detokenized text of the ids, without pad, start and end."""
        ...

    def detokenized(self, text: str) -> str:
        """The text as `decode` would write it; translations are compared with it."""
        ...

    def decode_words(self, ids: Sequence[int]) -> str:
        """The words of the ids, joined with spaces."""
        ...

    def normalized(self, text: str) -> str:
        """The words of the text, joined with spaces: what `decode_words` gives for its ids if all are known."""
        ...
