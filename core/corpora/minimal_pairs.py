"""Sentences that differ in one thing alone, for asking where in a model the difference lives.

Both have as many tokens for the shipped models, and are translated differently by them: a test holds that. The English
ones are for a model that writes French, where the gender and the number of a noun change the words around it.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple


class MinimalPair(NamedTuple):
    """Two sentences of one language."""

    difference: str  # "gender"
    first: str
    second: str


def _read(path: Path) -> dict[str, tuple[MinimalPair, ...]]:
    pairs: dict[str, tuple[MinimalPair, ...]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            pair = MinimalPair(row["difference"], row["first"], row["second"])
            pairs[row["language"]] = (*pairs.get(row["language"], ()), pair)
    return pairs


MINIMAL_PAIRS = _read(Path(__file__).with_suffix(".csv"))
"""By the language they are in; "" for the classroom's."""
