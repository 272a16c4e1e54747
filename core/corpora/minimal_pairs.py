"""Pairs of sentences that differ in one feature, for finding where in a model the difference lies.

Both have the same number of tokens and different translations in the shipped models. The English ones are for a model
that writes French, where the gender and the number of a noun change the words around it.
"""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path
from typing import NamedTuple


class MinimalPair(NamedTuple):
    """Two sentences of one language that differ in one feature."""

    difference: str  # "gender"
    first: str
    second: str


MINIMAL_PAIRS: dict[str, tuple[MinimalPair, ...]] = {}
"""The pairs by language code; "" for the classroom's model."""

with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    for _language, *_pair in islice(csv.reader(_file), 1, None):
        MINIMAL_PAIRS[_language] = (*MINIMAL_PAIRS.get(_language, ()), MinimalPair(*_pair))
