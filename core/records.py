"""The records that the packages exchange: plain, frozen dataclasses of text and NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FULL_STOP = "."


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
    validation: ValidationReport | None = (
        None  # after the last step of an epoch, where there are pairs for it
    )


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
class AttentionRecord:
    """Attention of every layer and head over one sentence pair, from one teacher-forced pass.

    Axes: L layers, H heads, S source length, T target length. Row t of `decoder` and `cross` is
    where the model looked when it had read `decoder_input_tokens[: t + 1]` and predicted
    `predicted_tokens[t]`.

    Raises:
        ValueError: lengths disagree, or a row is not a probability distribution.
    """

    source_tokens: tuple[str, ...]  # S
    decoder_input_tokens: tuple[str, ...]  # T, from the start token on
    predicted_tokens: tuple[str, ...]  # T, up to the end token where the sentence ended
    encoder: NDArray[np.float32]  # (L, H, S, S)
    decoder: NDArray[np.float32]  # (L, H, T, T)
    cross: NDArray[np.float32]  # (L, H, T, S)

    def __post_init__(self) -> None:
        source, target = len(self.source_tokens), len(self.decoder_input_tokens)
        if len(self.predicted_tokens) != target:
            raise ValueError(
                f"There must be as many predicted tokens as decoder-input tokens ({target}). "
                f"Received: {len(self.predicted_tokens)}"
            )
        layers_heads = self.encoder.shape[:2]
        for name, rows, columns in (
            ("encoder", source, source),
            ("decoder", target, target),
            ("cross", target, source),
        ):
            weights = getattr(self, name)
            if weights.shape != (*layers_heads, rows, columns):
                raise ValueError(
                    f"{name} attention must have the shape {(*layers_heads, rows, columns)}. "
                    f"Received: {weights.shape}"
                )
            if not np.allclose(weights.sum(axis=-1), 1.0, atol=1e-3):
                raise ValueError(f"Each row of {name} attention must sum to 1.")

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, for JSON."""
        return {
            "source_tokens": list(self.source_tokens),
            "decoder_input_tokens": list(self.decoder_input_tokens),
            "predicted_tokens": list(self.predicted_tokens),
            **{name: getattr(self, name).round(6).tolist() for name in ("encoder", "decoder", "cross")},
        }


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
            "finished": self.best.finished,
        }
        if self.attention is not None:
            values["attention"] = self.attention.to_dict()
        return values


@dataclass(frozen=True, eq=False)
class PaddingEffect:
    """What padding after a sentence changes in a model's numbers."""

    change: float  # largest difference in the encoder's output at real tokens from that without padding
    encoder_share: NDArray[
        np.float32
    ]  # (L, H), the share of real tokens' attention that goes to padding; 0 to 1
    cross_share: NDArray[np.float32]  # (L, H), the same for the words written
    ids: tuple[int, ...]  # of the greedy translation, with the end id where it ended


@dataclass(frozen=True, eq=False)
class PaddingOutcome:
    """The outcome for a sentence that was read in one of three ways."""

    effect: PaddingEffect
    translation: str  # greedy
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


@dataclass(frozen=True)
class LengthScore:
    """The score of all sentences of some lengths together."""

    label: str  # "11–20"
    score: float  # 0 to 100
    sentences: int
