"""What people make a translation begin with, as it stands in the address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.tokens.vocabulary import Vocabulary

_TOKEN = re.compile(r"([ft]?)(\d{1,7})")
_SEPARATOR = "."


class BeginningError(ValueError):
    """The text is no beginning; the message says why."""


@dataclass(frozen=True)
class Beginning:
    """Tokens that the model goes on from, the last of them forced by a person.

    In an address: "12.f7.40.f8.t9" is the model's own token 12, a forced 7, its own 40, and 8 and 9 forced together.
    """

    ids: tuple[int, ...] = ()
    marks: tuple[
        str, ...
    ] = ()  # of each: "" the model's own, "f" forced, "t" forced together with the one before

    @property
    def forced(self) -> frozenset[int]:
        """Positions of the forced tokens, from 0."""
        return frozenset(position for position, mark in enumerate(self.marks) if mark)

    def with_token(self, written: tuple[int, ...], position: int, token_id: int) -> Beginning:
        """Say another token at a position of what was written; what came after it goes."""
        marks = (*self.marks[:position], *[""] * (position - len(self.marks)), "f")
        return Beginning((*written[:position], token_id), marks)

    def undone(self) -> Beginning:
        """Without what was forced last."""
        end = max((n for n, mark in enumerate(self.marks) if mark == "f"), default=0)
        while end and not self.marks[end - 1]:
            end -= 1
        return Beginning(self.ids[:end], self.marks[:end])

    def to_address(self) -> str:
        return _SEPARATOR.join(
            f"{mark}{token_id}" for mark, token_id in zip(self.marks, self.ids, strict=True)
        )

    @classmethod
    def from_address(cls, text: str) -> Beginning:
        """The reverse of `to_address`.

        Raises:
            BeginningError: it is none.
        """
        if not text:
            return cls()
        found = [_TOKEN.fullmatch(part) for part in text.split(_SEPARATOR)]
        marks = tuple(match[1] for match in found if match)
        if None in found or marks[-1] == "" or "t" in marks[:1]:
            raise BeginningError("This is not the beginning of a translation.")
        return cls(tuple(int(match[2]) for match in found if match), marks)

    @classmethod
    def typed(cls, ids: list[int]) -> Beginning:
        """A beginning that a person typed."""
        return cls(tuple(ids), ("f", *["t"] * (len(ids) - 1)) if ids else ())

    def check(self, vocabulary: Vocabulary, most: int) -> None:
        """Whether a model can go on from it.

        Raises:
            BeginningError: it has a token that no translation has, goes on behind its end, or is too long.
        """
        never = {vocabulary.pad_id, vocabulary.start_id}
        if any(each >= len(vocabulary) or each in never for each in self.ids):
            raise BeginningError("It has a token that is not in this model's vocabulary.")
        if vocabulary.end_id in self.ids[:-1]:
            raise BeginningError("It continues after its end token.")
        if len(self.ids) > most:
            raise BeginningError(f"It has {len(self.ids):,} tokens; this translation has at most {most:,}.")
