"""How much each head matters: what is lost without it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from core.decoding.translator import TranslationError
from core.interpretability.changes import Floats
from core.interpretability.heads.gates import HEAD_KINDS, Head, all_heads, without_heads
from core.interpretability.teacher_forcing import ForcedPair, log_probabilities_of, part_of, portions
from core.interpretability.tracer import Tracer
from core.records import Pair


@dataclass(frozen=True, eq=False)
class HeadCosts:
    """What each head's loss costs: by how much log P of the target falls without it, nats a token."""

    costs: Floats  # (3, L, H): encoder, decoder, cross; negative where the model does better without it
    tokens: int  # that it is the mean of
    sentences: int

    def ranked(self) -> list[tuple[Head, float]]:
        """All heads, the costliest first."""
        flat = [
            (Head(kind, layer, head), float(self.costs[number, layer, head]))
            for number, kind in enumerate(HEAD_KINDS)
            for layer, head in np.ndindex(*self.costs.shape[1:])
        ]
        return sorted(flat, key=lambda each: -each[1])

    def cost(self, head: Head) -> float:
        """The cost of one head."""
        return float(self.costs[HEAD_KINDS.index(head.kind), head.layer, head.head])

    def rank(self, head: Head) -> int:
        """A head's place among all, from 1."""
        return 1 + int((self.costs > self.cost(head)).sum())


def head_costs(tracer: Tracer, pair: ForcedPair) -> HeadCosts:
    """Each head switched off alone, for one sentence pair: a batch of all heads."""
    run = HeadRanking(tracer, [pair])
    for _ in run.steps():
        pass
    return run.result()


class HeadRanking:
    """Ranks heads by what their loss costs over many sentence pairs (Michel et al. 2019, section 3).

    They measured BLEU; here it is log P of the reference, which needs no search and differs in every head.

    Args:
        tracer: of the model.
        pairs: sources with their references.
    """

    def __init__(self, tracer: Tracer, pairs: Sequence[ForcedPair]) -> None:
        self._tracer = tracer
        self._pairs = pairs
        self._heads = all_heads(tracer.config)
        self._sums = np.zeros(1 + len(self._heads))  # log P as it is, then without each head
        self._tokens = 0
        self.done = 0  # sentence pairs

    @property
    def total(self) -> int:
        """Sentence pairs to read."""
        return len(self._pairs)

    def steps(self) -> Generator[int]:
        """Continue, a portion of heads at a time, so that it can be stopped; yields the pairs done after each."""
        for pair in self._pairs[self.done :]:
            sums = np.zeros_like(self._sums)
            rows_off: list[list[Head]] = [[], *([head] for head in self._heads)]
            changes = without_heads(self._tracer.config, rows_off)
            for rows in portions(len(rows_off), self._tracer.config, len(pair.source), len(pair.predicted)):
                ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
                found = log_probabilities_of(self._tracer, *ids, part_of(changes, rows))
                sums[rows.start : rows.stop] = found.sum(axis=1)
                if rows.stop < len(rows_off):
                    yield self.done
            self._sums += sums
            self._tokens += len(pair.predicted)
            self.done += 1
            yield self.done

    def result(self) -> HeadCosts:
        """The ranking over the pairs done.

        Raises:
            TranslationError: none is.
        """
        if not self.done:
            raise TranslationError("No sentence has been read yet. Let it run for longer.")
        config = self._tracer.config
        costs = (self._sums[0] - self._sums[1:]) / self._tokens
        shape = (len(HEAD_KINDS), config.num_layers, config.num_heads)
        return HeadCosts(costs.reshape(shape).astype(np.float32), self._tokens, self.done)


def readable_pairs(tracer: Tracer, pairs: Sequence[Pair], max_tokens: int) -> list[ForcedPair]:
    """The pairs that the model can read, with at most so many tokens on each side."""
    found = []
    for pair in pairs:
        try:
            forced = ForcedPair.of_texts(tracer.translator, pair.source, pair.target)
        except TranslationError:
            continue  # an empty side, or one that is too long: it has nothing to say about heads
        if max(len(forced.source), len(forced.predicted)) <= max_tokens:
            found.append(forced)
    return found
