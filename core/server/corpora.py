"""The corpora on this machine, each read once for all users."""

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache

from core.corpora.catalogue import CORPORA, find_corpus
from core.corpora.corpus import Corpus, Split
from core.records.text import Pair
from core.tokens.base import Tokenizer
from core.tokens.word import normalize

_MAX_KEPT = 3  # splits in memory; 120,000 pairs take some 40 MB

_reading = threading.Lock()


def available_corpora() -> dict[str, Corpus]:
    """Return the corpora that can be read offline, by name."""
    return {name: corpus for name, corpus in CORPORA.items() if corpus.is_available}


def read_split(name: str, split: Split) -> tuple[Pair, ...]:
    """Return all pairs of one split.

    Raises:
        InputError: the split is missing or damaged.
    """
    with _reading:  # two readers at once would each load the split
        return _read(name, split)


@lru_cache(maxsize=_MAX_KEPT)
def _read(name: str, split: Split) -> tuple[Pair, ...]:
    return tuple(find_corpus(name).read(split))


SentenceLengths = dict[str, list[int]]  # of each sentence by side, "source" and "target"


def sentence_lengths(
    pairs: Sequence[Pair], tokenizers: tuple[Tokenizer, Tokenizer] | None
) -> tuple[SentenceLengths, SentenceLengths | None]:
    """Count words, and subwords if there is a vocabulary."""
    words = _lengths_of(pairs, _words, _words)
    if tokenizers is None:
        return words, None
    source, target = tokenizers
    return words, _lengths_of(pairs, source.tokens, target.tokens)


_Split = Callable[[str], list[str]]


def _lengths_of(pairs: Sequence[Pair], split_source: _Split, split_target: _Split) -> SentenceLengths:
    return {
        "source": [len(split_source(pair.source)) for pair in pairs],
        "target": [len(split_target(pair.target)) for pair in pairs],
    }


def _words(text: str) -> list[str]:
    return normalize(text).split()
