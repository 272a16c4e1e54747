"""What analyses of a translation find. Axis letters: see `core.config`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats
from core.records.attention import AttentionRecord, AttentionSteps, Head
from core.records.text import Candidate

LensKind = Literal["decoder", "encoder"]
SUM = 2  # the level of embedding plus position in a `SentenceRun`
CHANCE = "chance"  # among the measures of `ErasureCurves`: the mean of random orders


@dataclass(frozen=True)
class NextToken:
    """A token that the model could write at one step."""

    id: int
    token: str
    log_probability: float  # given source and prefix, nats
    rank: int  # from 1, the likeliest


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """One step of decoding."""

    likeliest: tuple[NextToken, ...]  # the likeliest first
    chosen: NextToken  # may not be among them
    cross: Floats  # (L, H, S), cross-attention of the step


class BeamStatus(Enum):
    """The status of a hypothesis after a step of beam search."""

    LIVE = "live"
    FINISHED = "finished"  # ended, and among the best finished hypotheses so far
    PRUNED = "pruned"  # others are likelier, or have a better score if it has ended


@dataclass(frozen=True)
class BeamNode:
    """A hypothesis in one step of beam search: one of the step before, and one more token."""

    token: str
    ids: tuple[int, ...]  # of all its tokens, forced ones included
    step: int  # from 0; -1 for the prefix
    number: int  # its index among those of its step
    parent: int  # number of the one that it continues
    log_probability: float  # of all its tokens, nats
    penalty: float  # length penalty
    finished: bool = False  # whether it ends with the end token; the length limit cuts others off
    status: BeamStatus = BeamStatus.PRUNED

    @property
    def score(self) -> float:
        return self.log_probability / self.penalty


@dataclass(frozen=True)
class BeamTree:
    """The tree of a beam search."""

    steps: tuple[tuple[BeamNode, ...], ...]  # the hypotheses of each step, the likeliest first
    best: tuple[BeamNode, ...]  # the winner first


@dataclass(frozen=True, eq=False)
class PaddingOutcome:
    """The outcome of one run of a padding comparison."""

    change: float  # largest change of the encoder's output at real tokens, compared with no padding
    encoder_share: Floats  # (L, H), share of real tokens' attention on padding, 0 to 1
    cross_share: Floats  # (L, H), share of cross-attention on padding
    ids: tuple[int, ...]  # of the greedy translation, with the end id if it has ended
    translation: str
    finished: bool  # False if the length limit cut the translation off


@dataclass(frozen=True, eq=False)
class PaddingComparison:
    """A sentence translated without padding, padded with the mask, and padded without the mask."""

    num_pads: int
    alone: PaddingOutcome
    masked: PaddingOutcome
    unmasked: PaddingOutcome


@dataclass(frozen=True, eq=False)
class Lens:
    """Predictions from each of the L + 1 places of a stack, at each target position."""

    kind: LensKind  # the stack
    predicted_tokens: tuple[str, ...]  # T, the translation
    tokens: tuple[tuple[str, ...], ...]  # (L + 1, T), the likeliest token at each place
    probability: Floats  # (L + 1, T), of that token
    final_probability: Floats  # (L + 1, T), of the translation's token
    final_rank: NDArray[np.int_]  # (L + 1, T), rank of the translation's token, from 1

    @property
    def known_since(self) -> tuple[int | None, ...]:
        """The place from which on the translation's token is the likeliest, (T,); None if it never is."""
        right = self.final_rank == 1
        kept = np.logical_and.accumulate(right[::-1])[::-1]
        return tuple(int(np.argmax(column)) if column.any() else None for column in kept.T)


@dataclass(frozen=True, eq=False)
class WithoutHeads:
    """A model with some of its heads off: how likely a given translation is, and its own greedy one."""

    log_probability: Floats  # (T,), of each token of the given translation, nats
    translation: str
    finished: bool  # False if the length limit cut the translation off


@dataclass(frozen=True, eq=False)
class Contributions:
    """How much of each generated word comes from the source's words, and how much from the words before it.

    Here S and T count words.
    """

    words: tuple[str, ...]  # T, generated
    source_words: tuple[str, ...]  # S
    prefix_words: tuple[str, ...]  # T, those that can precede a generated word
    source: Floats  # (T, S), shares from 0 to 1
    prefix: Floats  # (T, T); NaN for words that do not precede
    has_own_prefix: bool  # whether first subwords of a word count as prefix of its later ones
    possible_hallucinations: frozenset[int]  # indices of words

    @property
    def source_share(self) -> Floats:
        """The source's share of each generated word, (T,)."""
        return self.source.sum(axis=1)


@dataclass(frozen=True, eq=False)
class ErasureCurves:
    """The probability of a translation while its source words are erased, in the order of each measure."""

    words: tuple[str, ...]  # of the source
    scores: Mapping[str, Floats]  # by measure, (words,): how much each word matters
    erased: tuple[int, ...]  # number of erased words at each point, from 0 to all
    curves: Mapping[str, Floats]  # by measure and `CHANCE`, (points,): mean log P per token, nats

    def order(self, measure: str) -> list[int]:
        """Return the indices of the words, the most important first; equal ones from the left."""
        found: list[int] = np.argsort(-self.scores[measure], kind="stable").tolist()
        return found

    def area(self, measure: str) -> float:
        """Return the mean of a curve; the lower it is, the sooner the translation breaks."""
        return float(np.trapezoid(self.curves[measure], self.erased) / self.erased[-1])

    def ranked(self) -> list[str]:
        """Return the measures and chance, the one that breaks the translation soonest first."""
        return sorted(self.curves, key=self.area)


@dataclass(frozen=True, eq=False)
class PatchingMap:
    """How much of the difference between two translations each state carries.

    The measure is log P(B's word) - log P(A's word) at the first word that differs, scaled to 0 for sentence A and 1 for
    sentence B. Values can lie outside.
    """

    source_tokens: tuple[str, ...]  # S, of sentence A
    other_tokens: tuple[str, ...]  # S, of sentence B
    prefix_tokens: tuple[str, ...]  # T, the decoder-input tokens that both share, the start token first
    word: str  # A's first token that differs
    other_word: str  # B's token at that position
    encoder: Floats  # (L + 1, S), recovered by patching one encoder state
    decoder: Floats  # (L + 1, T)


@dataclass(frozen=True, eq=False)
class SentenceRun:
    """One pass over a sentence pair, level by level.

    The levels of a side are its embeddings, its positions, their sum, the output of each sublayer of each layer, and the
    output of the stack.
    """

    attention: AttentionRecord
    levels: Mapping[str, Floats]  # of "encoder" (levels, S, D) and "decoder" (levels, T, D)
    candidates: tuple[tuple[Candidate, ...], ...]  # for each predicted token, the likeliest first

    def input_level(self, side: str, layer: int) -> int:
        """Return the index of the level that a layer reads, from 0; for the number of layers, that of the last output."""
        sublayers = 2 if side == "encoder" else 3
        return SUM + sublayers * layer


@dataclass(frozen=True, eq=False)
class HeadNumbers:
    """The numbers inside one head of one sentence pair (section 3.2.1). In self-attention, T and S are equal."""

    head: Head
    rows: tuple[str, ...]  # T, the tokens of the map's rows
    columns: tuple[str, ...]  # S
    row_vectors: Floats  # (T, D), what the queries are computed from
    column_vectors: Floats  # (S, D), what keys and values are computed from
    mask: Bools  # (T, S), True where attention is allowed
    steps: AttentionSteps
