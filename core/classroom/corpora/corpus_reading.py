"""Corpora on this machine, each read once for everybody. No Streamlit here, because threads read them too."""

from __future__ import annotations

import threading
from functools import lru_cache

from core.corpora.catalogue import CORPORA, find_corpus, sample_pairs
from core.corpora.corpus import Corpus, Split
from core.records import Pair

_MAX_KEPT = 3  # splits; 120,000 pairs take some 40 MB

_reading = threading.Lock()


def corpora_here() -> dict[str, Corpus]:
    """The corpora that can be read without a network, by name."""
    return {name: corpus for name, corpus in CORPORA.items() if corpus.is_here}


def read_split(name: str, split: Split) -> tuple[Pair, ...]:
    """All pairs of one split.

    Raises:
        CorpusError: the split is not there, or is damaged.
    """
    with _reading:  # two readers at once would both hold it
        return _read(name, split)


def read_sample(name: str, split: Split, size: int) -> list[Pair]:
    """A random sample of one split, the same each time.

    Raises:
        CorpusError: the split is not there, or is damaged.
    """
    return sample_pairs(read_split(name, split), size)


@lru_cache(maxsize=_MAX_KEPT)
def _read(name: str, split: Split) -> tuple[Pair, ...]:
    return tuple(find_corpus(name).read(split))
