"""The words of the fifteen classroom pairs, as tokenizers that all pages share. They never change."""

from __future__ import annotations

from functools import cache

from core.corpora.toy import PAIRS
from core.tokens.word import WordTokenizer


@cache
def french_words() -> WordTokenizer:
    """What the classroom model reads."""
    return WordTokenizer.fit((pair.source for pair in PAIRS), start_and_end=False)


@cache
def english_words() -> WordTokenizer:
    """What it writes."""
    return WordTokenizer.fit((pair.target for pair in PAIRS), start_and_end=True)
