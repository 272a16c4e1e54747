"""One step of what a model does: the words, what is at work, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.theory.parts import Part, Tensor

Words = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """Words as the model reads or writes them."""

    name: str
    words: Words
    new: int | None = None  # the position that this step adds


@dataclass(frozen=True)
class FlowStep:
    """One step."""

    key: str  # what kind of step it is
    active: frozenset[str]  # keys of the parts at work
    rows: tuple[Row, ...]
    makes: tuple[Tensor, ...]
    sizes: Mapping[str, int]  # of the axes of what it makes


def keys_of(parts: Sequence[Part], kinds: Sequence[str], side: str | None = None) -> frozenset[str]:
    """The keys of the parts of some kinds, on one side or both."""
    return frozenset(part.key for part in parts if part.kind in kinds and side in (None, part.side))
