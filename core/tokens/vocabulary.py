"""The vocabulary: tokens and their ids."""

from collections.abc import Iterable, Sequence
from typing import Self

from core.errors import InputError
from core.language import _

# The special tokens and their ids. Start and end are in the vocabularies of targets, and in those of subwords.
PAD = "[PAD]"
UNKNOWN = "[UNK]"
START = "[START]"
END = "[END]"
PAD_ID = 0
UNKNOWN_ID = 1
START_ID = 2
END_ID = 3
MAX_TOKEN_CHARACTERS = 100  # longer words stay unknown; the longest in dictionaries have about 60


class Vocabulary:
    """Token strings and their ids. The special tokens come first.

    Args:
        tokens: all entries in the order of their ids, special tokens included.

    Raises:
        InputError: a token is empty or repeated, or the special tokens are not in their places.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tuple(tokens)
        self._ids = {token: index for index, token in enumerate(self.tokens)}
        if self.tokens[:2] != (PAD, UNKNOWN):
            raise InputError(
                _("A vocabulary must begin with {pad} and {unknown}. Received: {received}").format(
                    pad=PAD, unknown=UNKNOWN, received=f"{self.tokens[:2]!s:.80}"
                )
            )
        if len(self._ids) != len(self.tokens):
            twice = next(token for index, token in enumerate(self.tokens) if self._ids[token] != index)
            raise InputError(
                _("A token must be in a vocabulary once. Received twice: {token}").format(
                    token=f"{twice!r:.80}"
                )
            )
        if bad := [token for token in self.tokens if not token or token != token.strip()]:
            raise InputError(
                _("A token must not be empty or padded with spaces. Received: {token}").format(
                    token=f"{bad[0]!r:.80}"
                )
            )
        if (START in self._ids or END in self._ids) and self.tokens[2:4] != (START, END):
            raise InputError(
                _("{start} and {end} must have the ids 2 and 3. Received there: {received}").format(
                    start=START, end=END, received=f"{self.tokens[2:4]!s:.80}"
                )
            )

    @classmethod
    def from_tokens(cls, tokens: Iterable[str], *, start_and_end: bool) -> Self:
        """Build a vocabulary with the special tokens before the given ones."""
        special = (PAD, UNKNOWN, START, END) if start_and_end else (PAD, UNKNOWN)
        return cls((*special, *tokens))

    @property
    def has_start_and_end(self) -> bool:
        return START in self._ids

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def id_of(self, token: str) -> int:
        """Return the token's id, or the unknown id."""
        return self._ids.get(token, UNKNOWN_ID)

    def is_special(self, token_id: int) -> bool:
        """Return whether the id is pad, start or end, which are never part of a text."""
        return self.tokens[token_id] in (PAD, START, END)

    def to_text(self) -> str:
        """Return one token per line, in the order of the ids."""
        return "".join(f"{token}\n" for token in self.tokens)
