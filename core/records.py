"""The records that the packages exchange: plain, frozen dataclasses of text and NumPy arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FULL_STOP = "."
AttentionKind = Literal["encoder", "decoder", "cross"]
ATTENTION_KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")


@dataclass(frozen=True)
class Pair:
    """A sentence and its translation, as text."""

    source: str
    target: str


@dataclass(frozen=True)
class ValidationReport:
    """How a model does on pairs it does not train on."""

    loss: float  # mean cross-entropy over the real target tokens without label smoothing, nats
    accuracy: float  # share of real target tokens predicted exactly, 0 to 1


@dataclass(frozen=True)
class StepReport:
    """What one training step did."""

    step: int  # steps since the start of the training, this one included
    epoch: int  # epoch this step belongs to, from 1
    loss: float  # mean cross-entropy over the real target tokens of the batch, nats
    accuracy: float  # share of real target tokens predicted exactly, 0 to 1
    learning_rate: float
    ends_epoch: bool  # whether this was the last step of its epoch
    tokens: int = 1  # real target tokens of the batch
    # After the last step of an epoch, where there are pairs for it.
    validation: ValidationReport | None = None


@dataclass(frozen=True)
class EpochReport:
    """What one epoch did."""

    epoch: int  # from 1
    step: int  # steps done at its end
    loss: float  # mean over all real target tokens of the epoch, nats
    accuracy: float  # share of them predicted exactly, 0 to 1
    learning_rate: float  # of its last step
    seconds: float  # trained so far, all epochs together
    validation_loss: float | None = None  # at its end, where there are pairs for it
    validation_accuracy: float | None = None


@dataclass(frozen=True)
class WatchedSentence:
    """A sentence whose translation is watched while a model learns."""

    source: str
    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]  # of the reference, the end included
    source_tokens: tuple[str, ...]  # S, the first ones of a long sentence
    target_tokens: tuple[str, ...]  # T, likewise
    never_shown: bool = False


@dataclass(frozen=True, eq=False)
class LearningMoment:
    """What a model made of N watched sentences when it had learned for a while."""

    step: int  # steps done; 0 is the untrained model
    answers: tuple[tuple[tuple[int, float], ...], ...]  # N: what it writes, ids with their probabilities
    cross: tuple[NDArray[np.uint8], ...]  # N of (H, T, S): the last layer over the reference; 255 is 1


@dataclass(frozen=True)
class AttentionRecord:
    """Attention of every layer and head over one sentence pair, from one teacher-forced pass.

    Axes: L layers, H heads, S source length, T target length. Row t of `decoder` and `cross` is
    where the model looked when it had read `decoder_input_tokens[: t + 1]` and predicted
    `predicted_tokens[t]`.
    """

    source_tokens: tuple[str, ...]  # S
    decoder_input_tokens: tuple[str, ...]  # T, from the start token on
    predicted_tokens: tuple[str, ...]  # T, up to the end token where the sentence ended
    encoder: NDArray[np.float32]  # (L, H, S, S)
    decoder: NDArray[np.float32]  # (L, H, T, T)
    cross: NDArray[np.float32]  # (L, H, T, S)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, for JSON."""
        return {
            "source_tokens": list(self.source_tokens),
            "decoder_input_tokens": list(self.decoder_input_tokens),
            "predicted_tokens": list(self.predicted_tokens),
            **{name: getattr(self, name).astype(float).round(6).tolist() for name in ATTENTION_KINDS},
        }


@dataclass(frozen=True, eq=False)
class AttentionView:
    """Attention of one sentence pair as it is read and shown: of tokens or words, all of them or some.

    Rows attend to columns. Where heads cannot be told apart, as after rollout, there is one alone.
    """

    name: str  # "Cross-attention"
    weights: NDArray[np.float32]  # (L, H, rows, columns); NaN where a row may not attend to a column
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    says: str = "weight"  # what a number is
    notes: tuple[str, ...] = ()  # sentences on what was left out or put together
    heads_apart: bool = True
    most: float = 1.0  # that a number can be; infinite for norms


@dataclass(frozen=True)
class Candidate:
    """One token the model could have written next."""

    token: str
    probability: float  # 0 to 1


@dataclass(frozen=True)
class Hypothesis:
    """One translation a search found."""

    text: str
    tokens: tuple[str, ...]  # without start and end
    ids: tuple[int, ...]  # with the end id where the sentence ended
    log_probability: float  # sum of log P(token | source, tokens before), end included, nats
    score: float  # log_probability / length penalty: what the search ranked by
    finished: bool  # False where the length limit cut the sentence off

    @property
    def mean_probability(self) -> float:
        """The geometric mean of its tokens' probabilities: how sure the model was of each step, 0 to 1."""
        return math.exp(self.log_probability / max(len(self.ids), 1))


@dataclass(frozen=True)
class Translation:
    """A sentence, how the model read it, and its translations."""

    source: str
    source_tokens: tuple[str, ...]  # S, as the model reads them
    unknown: tuple[bool, ...]  # S, True where the vocabulary has no such token
    hypotheses: tuple[Hypothesis, ...]  # best first; one for greedy search
    candidates: tuple[tuple[Candidate, ...], ...] = ()  # for each predicted token, most likely first
    attention: AttentionRecord | None = None
    stop_added: bool = False  # whether the model read a full stop that the source does not have

    @property
    def read(self) -> str:
        """The source as the model read it."""
        return f"{self.source}{FULL_STOP}" if self.stop_added else self.source

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[0]

    @property
    def text(self) -> str:
        return self.best.text

    def to_dict(self) -> dict[str, Any]:
        """The fields the command line prints as JSON; attention only where it was asked for."""
        values: dict[str, Any] = {
            "source": self.source,
            "source_tokens": list(self.source_tokens),
            "target_tokens": list(self.best.tokens),
            "text": self.text,
            "stop_added": self.stop_added,
            "score": self.best.score,
            "log_probability": self.best.log_probability,
            "mean_probability": self.best.mean_probability,
            "finished": self.best.finished,
        }
        if self.attention is not None:
            values["attention"] = self.attention.to_dict()
        return values


@dataclass(frozen=True)
class NextToken:
    """A token the model could write at one step."""

    id: int
    token: str
    log_probability: float  # given the source and the tokens before, nats
    rank: int  # 1 is the likeliest


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """One step of writing a translation."""

    likeliest: tuple[NextToken, ...]  # the likeliest first
    chosen: NextToken  # perhaps none of them
    cross: NDArray[np.float32]  # (L, H, S), where the step looked


class Fate(Enum):
    """What became of a hypothesis at a step of beam search."""

    KEPT = "kept"
    ENDED = "ended"  # it is complete, and among the best complete ones so far
    PRUNED = "pruned"  # others are likelier; of complete ones, others have a better score


@dataclass(frozen=True)
class BeamChild:
    """A hypothesis that a step of beam search looked at: a beam of the step before, and one more token."""

    token: str
    ids: tuple[int, ...]  # all of its tokens, from the forced prefix on
    parent: int  # which child of the step before it continues; -1 for the prefix
    log_probability: float  # of all of its tokens, nats
    score: float  # log_probability / length penalty
    fate: Fate


@dataclass(frozen=True)
class BeamEnd:
    """One of the hypotheses that a beam search ends with."""

    ids: tuple[int, ...]
    log_probability: float  # nats
    penalty: float  # what it is divided by
    score: float
    finished: bool
    step: int  # the step that made it, from 0; -1 where nothing was left to search
    child: int  # which of that step's children it is


@dataclass(frozen=True)
class BeamTree:
    """A beam search, step by step."""

    steps: tuple[tuple[BeamChild, ...], ...]  # children of each step, the likeliest first
    best: tuple[BeamEnd, ...]  # the winner first


@dataclass(frozen=True, eq=False)
class PaddingOutcome:
    """The outcome for a sentence that was read in one of three ways."""

    change: float  # largest difference in the encoder's output at real tokens from that without padding
    encoder_share: NDArray[np.float32]  # (L, H), of real tokens' attention, what goes to padding; 0 to 1
    cross_share: NDArray[np.float32]  # (L, H), the same for the words written
    ids: tuple[int, ...]  # of the greedy translation, with the end id where it ended
    translation: str
    finished: bool  # False where the length limit cut the translation off


@dataclass(frozen=True, eq=False)
class PaddingComparison:
    """A sentence read without padding, padded and masked, and padded without the mask."""

    source_tokens: tuple[str, ...]  # without padding
    num_pads: int
    alone: PaddingOutcome
    masked: PaddingOutcome
    unmasked: PaddingOutcome


@dataclass(frozen=True)
class SentenceResult:
    """One evaluated sentence: the reference, and the translation."""

    number: int  # of the pair, from 0
    source: str
    reference: str  # detokenized
    translation: str  # detokenized
    normalized_reference: str  # words and punctuation apart
    normalized_translation: str
    source_tokens: int
    reference_tokens: int
    translation_tokens: int
    bleu: float  # of this sentence alone, detokenized, 0 to 100
    finished: bool  # False where the length limit cut the translation off
