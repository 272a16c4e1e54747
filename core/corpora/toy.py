"""Fifteen French-English pairs: few enough to learn in seconds and to read in full."""

from __future__ import annotations

from pathlib import Path

from core.corpora.delimited import read_pairs
from core.records import Pair

PAIRS: tuple[Pair, ...] = tuple(read_pairs(Path(__file__).with_suffix(".csv").read_bytes()))
