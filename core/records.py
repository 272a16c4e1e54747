"""Records that the packages exchange, as frozen dataclasses. Axis letters: see `core.config`."""

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
    """Metrics of a model on pairs that it is not trained on."""

    loss: float  # mean cross-entropy over the real target tokens without label smoothing, nats
    accuracy: float  # share of real target tokens predicted exactly, 0 to 1


@dataclass(frozen=True)
class StepReport:
    """The metrics of one training step."""

    step: int  # number of the step in the whole run, from 1
    epoch: int  # the step's epoch, from 1
    loss: float  # mean cross-entropy over the real target tokens of the batch, nats
    accuracy: float  # share of real target tokens predicted exactly, 0 to 1
    learning_rate: float
    ends_epoch: bool  # whether it is the last step of its epoch
    tokens: int = 1  # real target tokens of the batch
    # After the last step of an epoch, if there are validation pairs.
    validation: ValidationReport | None = None


@dataclass(frozen=True)
class EpochReport:
    """The metrics of one epoch."""

    epoch: int  # from 1
    step: int  # number of its last step
    loss: float  # mean over all real target tokens of the epoch, nats
    accuracy: float  # share of them predicted exactly, 0 to 1
    learning_rate: float  # of its last step
    seconds: float  # of training so far, all epochs together
    validation_loss: float | None = None  # at its end, if there are validation pairs
    validation_accuracy: float | None = None


@dataclass(frozen=True, eq=False)
class SavedRun:
    """A training run between two steps: what it takes to continue it to the same numbers, and to make a model of it.

    P is the number of parameters.
    """

    step: int  # steps done
    parameters: NDArray[np.float32]  # (P,), after the last step
    first_moment: NDArray[np.float32]  # (P,), of Adam
    second_moment: NDArray[np.float32]  # (P,)
    best_parameters: NDArray[np.float32]  # (P,), after the best epoch
    best_epoch: int  # 0 before the end of the first epoch
    best_loss: float  # mean loss of the best epoch
    epochs: tuple[EpochReport, ...]  # all so far
    epoch_sums: tuple[float, ...]  # loss, hits and tokens of the current epoch
    seconds: float  # of training so far
    patience_start: int = 0  # the epoch from which patience counts
    last: StepReport | None = None  # the last step's

    @property
    def model_parameters(self) -> NDArray[np.float32]:
        """The weights of the run's model, (P,): of the best epoch; before the end of the first epoch, the latest."""
        return self.best_parameters if self.best_epoch else self.parameters


@dataclass(frozen=True)
class WatchedSentence:
    """A sentence whose translation is watched while a model learns."""

    source: str
    source_ids: tuple[int, ...]
    target_ids: tuple[int, ...]  # of the reference, the end included
    source_tokens: tuple[str, ...]  # S, the first ones of a long sentence
    target_tokens: tuple[str, ...]  # T, likewise
    never_shown: bool = False
    wanted: bool = False  # chosen by the visitor, or the visitor's own


@dataclass(frozen=True, eq=False)
class LearningMoment:
    """Translations and attention of a few watched sentences at one moment of training."""

    step: int  # steps done; 0 is the untrained model
    answers: tuple[tuple[tuple[int, float], ...], ...]  # per sentence: its translation as (id, probability)
    cross: tuple[NDArray[np.uint8], ...]  # per sentence (H, T, S): last layer, teacher-forced; 255 is 1


@dataclass(frozen=True)
class AttentionRecord:
    """Attention of every layer and head over one sentence pair, from one teacher-forced pass.

    Row t of `decoder` and `cross` is the attention when the model has read `decoder_input_tokens[: t + 1]` and predicts
    `predicted_tokens[t]`.
    """

    source_tokens: tuple[str, ...]  # S
    decoder_input_tokens: tuple[str, ...]  # T, from the start token on
    predicted_tokens: tuple[str, ...]  # T, with the end token if the sentence has ended
    encoder: NDArray[np.float32]  # (L, H, S, S)
    decoder: NDArray[np.float32]  # (L, H, T, T)
    cross: NDArray[np.float32]  # (L, H, T, S)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, for JSON."""
        return {
            "source_tokens": list(self.source_tokens),
            "decoder_input_tokens": list(self.decoder_input_tokens),
            "predicted_tokens": list(self.predicted_tokens),
            **{name: getattr(self, name).astype(float).round(6).tolist() for name in ATTENTION_KINDS},
        }


@dataclass(frozen=True, eq=False)
class AttentionView:
    """Attention of one sentence pair, prepared for display, between all or some of its tokens or words.

    Rows attend to columns. Measures that combine the heads, such as rollout, have H = 1.
    """

    name: str  # "Cross-attention"
    weights: NDArray[np.float32]  # (L, H, rows, columns); NaN where a row may not attend to a column
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    value_label: str = "weight"
    notes: tuple[str, ...] = ()  # sentences on what was left out or merged
    per_head: bool = True  # False if the heads are combined
    max_value: float = 1.0  # infinite for norms


@dataclass(frozen=True)
class Candidate:
    """A token that the model could have written next."""

    token: str
    probability: float  # 0 to 1


@dataclass(frozen=True)
class Hypothesis:
    """A translation found by a search."""

    text: str
    tokens: tuple[str, ...]  # without start and end
    ids: tuple[int, ...]  # with the end id if the sentence has ended
    log_probability: float  # sum of log P(token | source, prefix), end included, nats
    score: float  # log_probability / length penalty, the search's ranking
    finished: bool  # False if the length limit cut the sentence off

    @property
    def mean_probability(self) -> float:
        """The geometric mean of its tokens' probabilities, 0 to 1."""
        return math.exp(self.log_probability / max(len(self.ids), 1))


@dataclass(frozen=True)
class Translation:
    """A sentence, its tokens, and its translations."""

    source: str
    source_tokens: tuple[str, ...]  # S
    unknown: tuple[bool, ...]  # S, True for tokens that are not in the vocabulary
    hypotheses: tuple[Hypothesis, ...]  # best first; one for greedy search
    candidates: tuple[tuple[Candidate, ...], ...] = ()  # for each predicted token, most likely first
    attention: AttentionRecord | None = None
    stop_added: bool = False  # whether a full stop was added to the source

    @property
    def read(self) -> str:
        """The source as the model reads it, with an added full stop."""
        return f"{self.source}{FULL_STOP}" if self.stop_added else self.source

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[0]

    @property
    def text(self) -> str:
        return self.best.text

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that the command line prints as JSON, with attention if there is any."""
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
    cross: NDArray[np.float32]  # (L, H, S), cross-attention of the step


class BeamStatus(Enum):
    """The status of a hypothesis after a step of beam search."""

    LIVE = "live"
    FINISHED = "finished"  # ended, and among the best finished hypotheses so far
    PRUNED = "pruned"  # others are likelier, or have a better score if it has ended


@dataclass(frozen=True)
class BeamChild:
    """A candidate of one step of beam search: a live hypothesis and one more token."""

    token: str
    ids: tuple[int, ...]  # of all its tokens, forced ones included
    parent: int  # index of the child of the step before that it continues; -1 for the prefix
    log_probability: float  # of all its tokens, nats
    score: float  # log_probability / length penalty
    status: BeamStatus


@dataclass(frozen=True)
class BeamEnd:
    """A final hypothesis of a beam search."""

    ids: tuple[int, ...]
    log_probability: float  # nats
    penalty: float  # length penalty
    score: float  # log_probability / penalty
    finished: bool  # False if the length limit cut it off
    step: int  # index of its last step; -1 if there was nothing to search
    child: int  # its index among that step's children


@dataclass(frozen=True)
class BeamTree:
    """The tree of a beam search."""

    steps: tuple[tuple[BeamChild, ...], ...]  # the children of each step, the likeliest first
    best: tuple[BeamEnd, ...]  # the winner first


@dataclass(frozen=True, eq=False)
class PaddingOutcome:
    """The outcome of one run of a padding comparison."""

    change: float  # largest change of the encoder's output at real tokens, compared with no padding
    encoder_share: NDArray[np.float32]  # (L, H), share of real tokens' attention on padding, 0 to 1
    cross_share: NDArray[np.float32]  # (L, H), share of cross-attention on padding
    ids: tuple[int, ...]  # of the greedy translation, with the end id if it has ended
    translation: str
    finished: bool  # False if the length limit cut the translation off


@dataclass(frozen=True, eq=False)
class PaddingComparison:
    """A sentence translated without padding, padded with the mask, and padded without the mask."""

    source_tokens: tuple[str, ...]  # without padding
    num_pads: int
    alone: PaddingOutcome
    masked: PaddingOutcome
    unmasked: PaddingOutcome


@dataclass(frozen=True)
class SentenceResult:
    """One evaluated sentence, with its reference and translation."""

    number: int  # index of the pair
    source: str
    reference: str  # detokenized
    translation: str  # detokenized
    normalized_reference: str  # words and punctuation separated by spaces
    normalized_translation: str
    source_tokens: int
    reference_tokens: int
    translation_tokens: int
    bleu: float  # sentence BLEU, detokenized, 0 to 100
    finished: bool  # False if the length limit cut the translation off
