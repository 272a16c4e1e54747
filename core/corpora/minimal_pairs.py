"""Sentences that differ in one thing alone, for asking where in a model the difference lives.

Both have as many tokens for the shipped models, and are translated differently by them: a test holds that. The English
ones are for a model that writes French, where the gender and the number of a noun change the words around it.
"""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path
from typing import NamedTuple


class MinimalPair(NamedTuple):
    """Two sentences of one language."""

    difference: str  # "gender"
    first: str
    second: str


MINIMAL_PAIRS: dict[str, tuple[MinimalPair, ...]] = {}
"""By the language they are in; "" for the classroom's."""

with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    for _language, *_pair in islice(csv.reader(_file), 1, None):
        MINIMAL_PAIRS[_language] = (*MINIMAL_PAIRS.get(_language, ()), MinimalPair(*_pair))
