"""What a training run reports, keeps and shows. Axis letters: see `core.config`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats
from core.language import _, number

Report = TypeVar("Report")


class TrainingDivergedError(ArithmeticError):
    """The loss is no longer a number; the message says what to change.

    Args:
        step: the number of the step after which it was none.
        rate: the learning rate of that step.
    """

    def __init__(self, step: int, rate: float) -> None:
        super().__init__(step, rate)  # it travels to the server, which words it in its reader's language

    def __str__(self) -> str:
        step, rate = self.args
        return _(
            "The loss is no longer a number after step {step}. Choose a lower learning rate (now {rate}), more warmup "
            "steps, or gradient clipping, and start again."
        ).format(step=step, rate=number(rate, "g"))


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
class TrainingState:
    """A training run between two steps: what it takes to continue it to the same numbers, and to make a model of it.

    P is the number of parameters. While a model learns, the arrays are tensors.
    """

    parameters: Floats  # (P,), after the last step
    optimizer: Mapping[str, Floats]  # what the optimizer keeps between two steps, by name
    best_parameters: Floats  # (P,), after the best epoch
    step: int = 0  # steps done
    best_epoch: int = 0  # 0 before the end of the first epoch
    best_loss: float = math.inf  # mean loss of the best epoch
    epochs: tuple[EpochReport, ...] = ()  # all so far
    epoch_sums: tuple[float, float, float] = (0.0, 0.0, 0.0)  # loss, hits and tokens of the current epoch
    seconds: float = 0.0  # of training so far
    patience_start: int = 0  # the epoch from which patience counts
    last: StepReport | None = None  # the last step's

    @property
    def model_parameters(self) -> Floats:
        """The weights of the run's model, (P,): of the best epoch; before the end of the first epoch, the latest."""
        return self.best_parameters if self.best_epoch else self.parameters

    def with_arrays(self, convert: Callable[[Any], Any]) -> Self:
        """Return the state with each array converted."""
        return replace(
            self,
            parameters=convert(self.parameters),
            optimizer={name: convert(array) for name, array in self.optimizer.items()},
            best_parameters=convert(self.best_parameters),
        )


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
class LearningSnapshot:
    """Translations and attention of a few watched sentences at one moment of training."""

    step: int  # steps done; 0 is the untrained model
    translations: tuple[tuple[tuple[int, float], ...], ...]  # per sentence: (id, probability) of each token
    cross: tuple[NDArray[np.uint8], ...]  # per sentence (H, T, S): last layer, teacher-forced; 255 is 1


@dataclass(frozen=True)
class PastRun:
    """The training before, whose curves are drawn behind those of the newest; empty where there was none."""

    title: str = ""
    epochs: tuple[EpochReport, ...] = ()


@dataclass(frozen=True, eq=False)
class WatchedTraining:
    """A training as far as it has come, with what is watched of it."""

    experiment: str  # the one change that is tried, in words
    sentences: tuple[WatchedSentence, ...]  # in the order of each snapshot's translations
    vocabulary: tuple[str, ...]  # tokens of the target vocabulary
    num_epochs: int  # that it will have
    steps_per_epoch: int
    epochs: tuple[EpochReport, ...]  # the finished ones
    snapshots: tuple[LearningSnapshot, ...]  # in order; none before the training has started
    head: int  # the head whose attention is shown, from 0


def thinned(reports: Sequence[Report], most: int) -> list[Report]:
    """Return at most so many reports of a curve, evenly spread, with the first and the last."""
    places = np.linspace(0, len(reports) - 1, min(most, len(reports))).round().astype(int)
    return [reports[place] for place in places]
