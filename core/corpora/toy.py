"""Fifteen pairs to train on in seconds, from French or Portuguese, and fifteen phrases that share their words."""

from collections.abc import Iterable
from pathlib import Path

from core.corpora.delimited import read_pairs
from core.records.text import Pair

PAIRS: tuple[Pair, ...] = tuple(read_pairs(Path(__file__).with_suffix(".csv").read_bytes()))

# The same English sentences, for whoever reads no French: what texts say about their English words is true of both.
PORTUGUESE_PAIRS: tuple[Pair, ...] = tuple(read_pairs(Path(__file__).with_name("toy_pt.csv").read_bytes()))

PHRASES: tuple[Pair, ...] = tuple(read_pairs(Path(__file__).with_name("phrases.csv").read_bytes()))

NEVER_SHOWN = PHRASES[:3]  # the phrases to hold out: each of their words occurs in several of the others

# The codes of the source and the target language.
LANGUAGES = {PAIRS: ("fr", "en"), PORTUGUESE_PAIRS: ("pt", "en"), PHRASES: ("fr", "en")}


def languages_of(pairs: Iterable[Pair]) -> tuple[str, str] | None:
    """Return the languages of pairs of ours, perhaps with others among them; None where none is ours."""
    given = set(pairs)
    return next((codes for ours, codes in LANGUAGES.items() if not given.isdisjoint(ours)), None)
