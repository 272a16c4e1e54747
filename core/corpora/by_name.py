"""Pairs by the name of a corpus or of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.corpora.catalogue import CORPORA, SPLITS, Corpus
from core.corpora.delimited import CorpusError, read_pairs
from core.records import Pair


def named_corpus(name: str) -> Corpus | None:
    """The corpus of that name, or None where the name is a file's.

    Raises:
        CorpusError: it is neither.
    """
    if name in CORPORA:
        return CORPORA[name]
    if not Path(name).is_file():
        raise CorpusError(
            f"There is no file {name}, and no corpus of that name. Name a CSV, TSV or tab-separated file, or one of "
            f"{', '.join(CORPORA)}."
        )
    return None


def read_file(name: str) -> list[Pair]:
    """The pairs of a file.

    Raises:
        CorpusError: it has none.
    """
    return read_pairs(Path(name).read_bytes(), Path(name).name)


def read_corpus_split(name: str, split: str) -> Iterator[Pair]:
    """One split of a named corpus, or all pairs of a file.

    Raises:
        CorpusError: there is no such corpus, file or split, or it cannot be read.
    """
    corpus = named_corpus(name)
    if corpus is None:
        return iter(read_file(name))
    if split not in SPLITS:
        raise CorpusError(f"--split must be one of {', '.join(SPLITS)}. Received: {split!r:.80}")
    return corpus.read(split)
