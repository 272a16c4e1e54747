"""Pairs and tokenizers in, padded batches of ids out: trimmed, shifted once, always of one shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.records import Pair
from core.tokens.base import Tokenizer
from core.tokens.word import WordTokenizer

Ids = NDArray[np.int32]


class PipelineError(ValueError):
    """Pairs that cannot be trained on; the message says which and why."""


@dataclass(frozen=True)
class Batch:
    """One training batch, padded with 0. Rows that are all pad fill a last batch and count for nothing."""

    source: Ids  # (B, S)
    decoder_input: Ids  # (B, T): start, then the target
    labels: Ids  # (B, T): the target, then end; the decoder input shifted left by one


@dataclass(frozen=True)
class EncodedPairs:
    """Every pair as padded ids."""

    source: Ids  # (N, S)
    target: Ids  # (N, T + 1): start, the target, end

    def __len__(self) -> int:
        return len(self.source)

    def batches(self, batch_size: int, seed: int, epoch: int) -> Iterator[Batch]:
        """The batches of one epoch, shuffled by seed and epoch alone, so that any epoch can be had again.

        Every batch has exactly `batch_size` rows, so one compiled training step serves them all.
        """
        order = np.random.default_rng((seed, epoch)).permutation(len(self))
        for first in range(0, len(order), batch_size):
            rows = order[first : first + batch_size]
            yield self._batch(rows, batch_size)

    def steps_per_epoch(self, batch_size: int) -> int:
        """Batches in one epoch, the last partly filled one included."""
        return -(-len(self) // batch_size)

    def _batch(self, rows: NDArray[np.int64], batch_size: int) -> Batch:
        missing = batch_size - len(rows)
        source = np.pad(self.source[rows], ((0, missing), (0, 0)))
        target = np.pad(self.target[rows], ((0, missing), (0, 0)))
        return Batch(source=source, decoder_input=target[:, :-1], labels=target[:, 1:])


@dataclass(frozen=True)
class PreparedPairs:
    """Pairs with the tokenizers learned from them, encoded."""

    pairs: tuple[Pair, ...]
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    encoded: EncodedPairs


def prepare_words(pairs: Sequence[Pair], config: ModelConfig) -> tuple[PreparedPairs, ModelConfig]:
    """Learn both word vocabularies from the pairs and encode them.

    Args:
        pairs: what to train on.
        config: gives the length limits; its vocabulary sizes do not matter.

    Returns:
        The prepared pairs, and the config with the sizes of the vocabularies learned.

    Raises:
        PipelineError: there are no pairs, or a side has no words or too many.
    """
    source = WordTokenizer.fit((pair.source for pair in pairs), start_and_end=False)
    target = WordTokenizer.fit((pair.target for pair in pairs), start_and_end=True)
    encoded = encode_pairs(pairs, source, target, config.max_source_length, config.max_target_length)
    sized = config.replace(source_vocab_size=len(source.vocabulary), target_vocab_size=len(target.vocabulary))
    return PreparedPairs(tuple(pairs), source, target, encoded), sized


def encode_pairs(
    pairs: Sequence[Pair],
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    max_source_length: int,
    max_target_length: int,
) -> EncodedPairs:
    """Encode, add start and end, and pad to the longest sentence of each side.

    Args:
        pairs: what to train on.
        source_tokenizer: of the language translated from.
        target_tokenizer: of the language translated to; its vocabulary has start and end.
        max_source_length: most source tokens a sentence may have.
        max_target_length: most decoder-input tokens, start included, a sentence may have.

    Raises:
        PipelineError: there are no pairs, or a side has no tokens or too many.
    """
    if not pairs:
        raise PipelineError("There are no pairs to train on. Add at least one sentence with its translation.")
    vocabulary = target_tokenizer.vocabulary
    source = [
        _checked(source_tokenizer.encode(pair.source), "source", pair.source, row, max_source_length)
        for row, pair in enumerate(pairs, start=1)
    ]
    target = [
        _checked(target_tokenizer.encode(pair.target), "target", pair.target, row, max_target_length - 1)
        for row, pair in enumerate(pairs, start=1)
    ]
    wrapped = [[vocabulary.start_id, *ids, vocabulary.end_id] for ids in target]
    return EncodedPairs(source=pad(source), target=pad(wrapped))


def pad(sequences: Sequence[Sequence[int]], length: int | None = None, rows: int | None = None) -> Ids:
    """Sequences of ids as one matrix (rows, length), filled with the pad id 0; the longest sets the length."""
    length = max(map(len, sequences)) if length is None else length
    matrix = np.zeros((len(sequences) if rows is None else rows, length), np.int32)
    for row, ids in enumerate(sequences):
        matrix[row, : len(ids)] = ids
    return matrix


def _checked(ids: list[int], side: str, text: str, row: int, most: int) -> list[int]:
    if not ids:
        raise PipelineError(
            f"Pair {row}: the {side} has no words (punctuation and emoji do not count). Received: {text!r:.80}"
        )
    if len(ids) > most:
        raise PipelineError(
            f"Pair {row}: the {side} has {len(ids)} tokens; this model takes at most {most}. "
            f"Shorten it. Received: {text!r:.80}"
        )
    return ids
