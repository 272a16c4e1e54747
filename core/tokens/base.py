"""What every tokenizer can do, whatever its tokens are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.tokens.vocabulary import Vocabulary


class Tokenizer(Protocol):
    """Text to ids and back. `tokens` and `encode` of the same text have the same length."""

    kind: str  # its name in a checkpoint's config.json

    @property
    def vocabulary(self) -> Vocabulary: ...

    def tokens(self, text: str) -> list[str]:
        """The text cut into token strings, as the text has them (unknown ones included)."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of `tokens(text)`, without start and end."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the ids; pad, start and end leave no trace."""
        ...

    def detokenized(self, text: str) -> str:
        """The text as `decode` would write it: what a translation is compared with."""
        ...

    def decode_words(self, ids: Sequence[int]) -> str:
        """The words of the ids with spaces between."""
        ...

    def normalized(self, text: str) -> str:
        """The words of the text with spaces between: what `decode_words` gives for its ids where all are known."""
        ...
