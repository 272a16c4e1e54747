"""Fifteen French-English pairs to train on in seconds, and fifteen phrases that share their words."""

from pathlib import Path

from core.corpora.delimited import read_pairs
from core.records.text import Pair

PAIRS: tuple[Pair, ...] = tuple(read_pairs(Path(__file__).with_suffix(".csv").read_bytes()))

PHRASES: tuple[Pair, ...] = tuple(read_pairs(Path(__file__).with_name("phrases.csv").read_bytes()))

NEVER_SHOWN = PHRASES[:3]  # the phrases to hold out: each of their words occurs in several of the others
