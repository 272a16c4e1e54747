"""What the server and the trainer process say to each other. All of it is small, typed, and in order."""

from dataclasses import dataclass

from core.records.training import (
    EpochReport,
    LearningSnapshot,
    StepReport,
    TrainingDivergedError,
    TrainingState,
    WatchedSentence,
)
from core.training.recipe import PreparedTraining

ALIVE_SECONDS = 1.0


@dataclass(frozen=True)
class Start:
    """To the trainer: train from the beginning, or from a saved state."""

    number: int  # names the training in all other messages
    prepared: PreparedTraining
    watched: tuple[WatchedSentence, ...]
    saved: TrainingState | None


@dataclass(frozen=True)
class Stop:
    """To the trainer: stop a training after the current step."""

    number: int


@dataclass(frozen=True)
class Alive:
    """From the trainer, every ALIVE_SECONDS and about no training: it has not hung."""


@dataclass(frozen=True)
class Compiling:
    """From the trainer: TensorFlow is loaded, and the first step is being compiled."""


@dataclass(frozen=True)
class News:
    """From the trainer, at most ten times a second: what is new since the last news."""

    reports: tuple[StepReport, ...] = ()
    epochs: tuple[EpochReport, ...] = ()
    snapshots: tuple[LearningSnapshot, ...] = ()
    saved: TrainingState | None = None  # now and then, for the case that the trainer dies


@dataclass(frozen=True)
class Rested:
    """From the trainer, the last message about a training that was stopped or has finished."""

    saved: TrainingState | None  # None if it was stopped before its first step
    finished: bool = False
    out_of_patience: bool = False


@dataclass(frozen=True)
class Failed:
    """From the trainer, the last message about a training that failed."""

    error: TrainingDivergedError | None  # None for an error that is only in the log
    saved: TrainingState | None


Reply = Compiling | News | Rested | Failed
