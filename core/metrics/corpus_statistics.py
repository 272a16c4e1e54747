"""Counts over a corpus: how long its sentences are, and how much padding batches of them need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import TrainingConfig
from core.pipeline import BucketedPairs, RaggedIds
from core.presets import BATCH_TOKENS
from core.records import Pair
from core.tokens.base import Tokenizer
from core.tokens.word import normalize

Lengths = NDArray[np.int32]
RANDOM_BATCH = 64  # pairs
_TEXTS_BETWEEN_REPORTS = 500


@dataclass(frozen=True)
class SideStatistics:
    """One language of a corpus."""

    words: Lengths  # of each sentence
    different_words: int
    subwords: Lengths | None  # of each sentence, by a shipped vocabulary; None where none fits

    @property
    def subwords_per_word(self) -> float | None:
        """How finely the vocabulary splits words."""
        return None if self.subwords is None else float(self.subwords.sum() / max(1, self.words.sum()))


@dataclass(frozen=True)
class CorpusStatistics:
    """Both languages, and the share of padding in a training's batches."""

    source: SideStatistics
    target: SideStatistics
    random_padding: float  # share of all positions, in batches of random pairs
    bucketed_padding: float  # the same in batches of similar length

    def lengths(self, subwords: bool) -> dict[str, Sequence[int]]:
        """Of each sentence, by side."""
        sides = {"source": self.source, "target": self.target}
        return {
            name: (side.subwords if subwords and side.subwords is not None else side.words).tolist()
            for name, side in sides.items()
        }


def statistics_of(
    pairs: Sequence[Pair],
    tokenizers: tuple[Tokenizer, Tokenizer] | None,
    report: Callable[[float], None] = lambda share: None,
) -> CorpusStatistics:
    """Count words, and subwords where there is a vocabulary.

    Args:
        pairs: at least one.
        tokenizers: of a model in the corpus's languages, (source, target); None where there is none.
        report: told now and then which share of the sentences is counted, 0 to 1.
    """
    source = _side(
        [pair.source for pair in pairs], tokenizers and tokenizers[0], lambda share: report(share / 2)
    )
    target = _side(
        [pair.target for pair in pairs], tokenizers and tokenizers[1], lambda share: report((1 + share) / 2)
    )
    # A target has a start and an end; the decoder reads all but the end.
    read = source.words if source.subwords is None else source.subwords
    said = (target.words if target.subwords is None else target.subwords) + 2
    return CorpusStatistics(source, target, random_padding(read, said - 1), bucketed_padding(read, said))


def random_padding(source: Lengths, target: Lengths) -> float:
    """The share of padding where random pairs are padded to the longest of their batch.

    Args:
        source: tokens of each sentence.
        target: what the decoder reads of each: its tokens and the start.
    """
    order = np.random.default_rng(0).permutation(len(source))
    real = padded = 0
    for side in (source, target):
        for first in range(0, len(order), RANDOM_BATCH):
            batch = side[order[first : first + RANDOM_BATCH]]
            real += int(batch.sum())
            padded += int(batch.max(initial=0)) * len(batch)
    return 1.0 - real / max(1, padded)


def bucketed_padding(source: Lengths, target: Lengths) -> float:
    """The same in the batches that training here makes of a large corpus; `target` has start and end."""
    return BucketedPairs(_ragged(source), _ragged(target)).padding(TrainingConfig(batch_tokens=BATCH_TOKENS))


def _side(
    texts: Sequence[str], tokenizer: Tokenizer | None, report: Callable[[float], None]
) -> SideStatistics:
    words: list[int] = []
    subwords: list[int] = []
    different: set[str] = set()
    for number, text in enumerate(texts):
        if number % _TEXTS_BETWEEN_REPORTS == 0:
            report(number / len(texts))
        found = normalize(text).split()
        words.append(len(found))
        different.update(found)
        if tokenizer is not None:
            subwords.append(len(tokenizer.tokens(text)))
    return SideStatistics(
        np.array(words, np.int32), len(different), np.array(subwords, np.int32) if tokenizer else None
    )


def _ragged(lengths: Lengths) -> RaggedIds:
    """Ids of these lengths; which ones does not matter."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return RaggedIds(np.ones(int(ends[-1]) if len(ends) else 0, np.int32), ends)
