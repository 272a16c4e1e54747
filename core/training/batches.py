"""Batches of encoded pairs: shifted, padded, bucketed by length. Axis letters: see `core.config`; N pairs in all."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ids
from core.config import TrainingConfig
from core.tokens.base import pad
from core.tokens.vocabulary import PAD_ID


@dataclass(frozen=True)
class Batch:
    """One training batch, padded. Rows of padding fill up the last batch; the loss ignores them."""

    source: Ids  # (B, S)
    decoder_input: Ids  # (B, T): start, then the target
    labels: Ids  # (B, T): the target, then end; the decoder input shifted left by one


@dataclass(frozen=True)
class EncodedPairs:
    """All pairs as matrices of padded ids."""

    source: Ids  # (N, S)
    target: Ids  # (N, T + 1): start, the target, end

    def __len__(self) -> int:
        return len(self.source)

    def batches(self, config: TrainingConfig, epoch: int) -> Iterator[Batch]:
        """Yield the batches of one epoch, all with exactly `batch_size` rows, for one compiled step."""
        order = np.random.default_rng((config.seed, epoch)).permutation(len(self))
        for first in range(0, len(order), config.batch_size):
            yield self.batch(order[first : first + config.batch_size], config.batch_size)

    def steps_per_epoch(self, config: TrainingConfig) -> int:
        """Return the number of batches per epoch, a partly filled last one included."""
        return -(-len(self) // config.batch_size)

    def bucketed(self) -> BucketedPairs:
        """Return the pairs for batching by length."""
        return BucketedPairs(
            RaggedIds.from_sequences(row[row != PAD_ID].tolist() for row in self.source),
            RaggedIds.from_sequences(row[row != PAD_ID].tolist() for row in self.target),
        )

    def batch_shape(self, config: TrainingConfig) -> tuple[int | None, int | None, int | None]:
        """Return (B, S, T), which all batches share."""
        return config.batch_size, self.source.shape[1], self.target.shape[1] - 1

    def batch(self, rows: NDArray[np.int64], batch_size: int) -> Batch:
        """Return the given pairs as a batch, filled up to `batch_size` with rows of padding."""
        missing = batch_size - len(rows)
        more_rows = (0, missing), (0, 0)
        source = np.pad(self.source[rows], more_rows, constant_values=PAD_ID)
        target = np.pad(self.target[rows], more_rows, constant_values=PAD_ID)
        return Batch(source=source, decoder_input=target[:, :-1], labels=target[:, 1:])


@dataclass(frozen=True)
class EncodedTexts(EncodedPairs):
    """Texts for a decoder alone: targets without sources, (N, 0)."""

    unlearned: NDArray[np.int64]  # (N,), the first labels of each text whose loss does not count

    def batch(self, rows: NDArray[np.int64], batch_size: int) -> Batch:
        """Return the given texts as a batch; labels whose loss does not count are padding."""
        batch = super().batch(rows, batch_size)
        first = np.pad(self.unlearned[rows], (0, batch_size - len(rows)))
        is_learned = np.arange(batch.labels.shape[1]) >= first[:, None]
        return replace(batch, labels=np.where(is_learned, batch.labels, PAD_ID))


@dataclass(frozen=True)
class RaggedIds:
    """N sequences of ids in one array, to save memory."""

    ids: Ids  # all sequences, one after the other
    ends: NDArray[np.int64]  # (N,), the end of each sequence

    @classmethod
    def from_sequences(cls, sequences: Iterable[Sequence[int]]) -> Self:
        """Concatenate sequences, read one by one."""
        ids = array("i")
        ends = array("q")
        for sequence in sequences:
            ids.extend(sequence)
            ends.append(len(ids))
        return cls(np.array(ids, np.int32), np.array(ends, np.int64))

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each sequence, (N,)."""
        return np.diff(self.ends, prepend=0)

    def rows(self, numbers: NDArray[np.int64]) -> list[Ids]:
        """Return the sequences with the given indices."""
        return [self.ids[self.ends[n] - self.lengths[n] : self.ends[n]] for n in numbers]


@dataclass(frozen=True)
class BucketedPairs:
    """Pairs for long training runs: batches of similar length within a budget of tokens need little padding."""

    source: RaggedIds
    target: RaggedIds  # start, the target, end

    def __len__(self) -> int:
        return len(self.source.lengths)

    def batches(self, config: TrainingConfig, epoch: int) -> Iterator[Batch]:
        """Yield the batches of one epoch: random pairs of similar length, in random order."""
        random = np.random.default_rng((config.seed, epoch))
        longer = self._longer()
        difference = self.source.lengths - self.target.lengths
        batches = []
        for length, rows in self._by_length():
            rows = random.permutation(rows)
            rows = rows[np.lexsort((difference[rows], longer[rows] // 2))]
            size = _rows_of(length, config)
            batches += [rows[first : first + size] for first in range(0, len(rows), size)]
        for number in random.permutation(len(batches)):
            source = pad(self.source.rows(batches[number]))
            target = pad(self.target.rows(batches[number]))
            yield Batch(source, decoder_input=target[:, :-1], labels=target[:, 1:])

    def steps_per_epoch(self, config: TrainingConfig) -> int:
        """Return the number of batches per epoch."""
        return sum(-(-len(rows) // _rows_of(length, config)) for length, rows in self._by_length())

    def batch_shape(self, config: TrainingConfig) -> tuple[int | None, int | None, int | None]:
        """Return three times None: batches differ in number of rows and in lengths."""
        return None, None, None

    def _longer(self) -> NDArray[np.int64]:
        """Return the number of tokens of each pair's longer side, (N,)."""
        return np.maximum(self.source.lengths, self.target.lengths - 1)

    def _by_length(self) -> list[tuple[int, NDArray[np.int64]]]:
        """Group the pairs by the length of their longer side, rounded up to a multiple of 4."""
        longer = self._longer()
        rounded = -(-longer // 4) * 4
        return [(int(length), np.flatnonzero(rounded == length)) for length in np.unique(rounded)]


# Encoded pairs, read epoch by epoch. Their batches depend on seed and epoch alone, so any epoch can be repeated.
TrainingPairs = EncodedPairs | BucketedPairs


def _rows_of(length: int, config: TrainingConfig) -> int:
    """Return how many pairs of a given length fit a batch."""
    return config.batch_size if config.batch_tokens is None else max(1, config.batch_tokens // length)
