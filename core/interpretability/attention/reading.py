"""The ways to read a record of attention: what is read, of which attention, and between which tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["encoder", "decoder", "cross"]
Measure = Literal["weights", "norms", "rollout"]


@dataclass(frozen=True)
class AttentionReading:
    """How attention is read."""

    kind: Kind = "cross"
    measure: Measure = "weights"
    by_word: bool = False  # subwords of a word put together
    specials: bool = True  # whether the start and end tokens are shown


def alignment_reading(reading: AttentionReading) -> AttentionReading:
    """The same between words alone, of cross-attention."""
    return replace(reading, kind="cross", by_word=True, specials=False)
