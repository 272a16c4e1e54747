from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.classroom.duration import duration
from core.classroom.limits import MAX_PAIRS, MAX_PARAMETERS
from core.classroom.workspace import Workspace
from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.model.weight_shapes import parameter_count
from core.pipeline import PipelineError, prepare_words
from core.presets import CLASSROOM, Preset
from core.records import Pair
from core.training.estimate import compile_seconds, step_seconds
from pages.components.app.resources import run_queue
from pages.components.widgets.classroom_training import CLASSROOM_NAME


class Plan(Protocol):
    """A training that could start now."""

    @property
    def summary(self) -> str:
        """What it will weigh and take, in Markdown."""
        ...

    def start(self, workspace: Workspace) -> None:
        """Start it.

        Raises:
            QueueFullError: too many trainings wait already.
        """
        ...


@dataclass(frozen=True)
class RunPlan:
    """A training on a few pairs of words that could start now."""

    pairs: tuple[Pair, ...]
    model: ModelConfig
    training: TrainingConfig
    name: str  # of the model it makes
    summary: str  # what it will weigh and take

    def start(self, workspace: Workspace) -> None:
        """Start it.

        Raises:
            QueueFullError: too many trainings wait already.
        """
        workspace.start_training(self.pairs, self.model, self.training, self.name, run_queue())


def plan_run(pairs: Sequence[Pair], model: ModelConfig, training: TrainingConfig, preset: Preset) -> RunPlan:
    """Check what a training needs and say what it will take, before it starts.

    Raises:
        PipelineError: the pairs cannot be trained on.
    """
    if len(pairs) > MAX_PAIRS:
        raise PipelineError(
            f"The app trains on at most {MAX_PAIRS} pairs. Received: {len(pairs):,}. Delete some, or train "
            "on your own machine: python -m core train FILE --out FOLDER."
        )
    prepared, sized = prepare_words(pairs, model)
    if parameter_count(sized) > MAX_PARAMETERS:
        raise PipelineError(
            f"The app trains models of at most {MAX_PARAMETERS:,} parameters. Received: "
            f"{parameter_count(sized):,}. Choose fewer layers or a smaller d_model or d_ff."
        )
    encoded = prepared.encoded
    steps = training.epochs * encoded.steps_per_epoch(training)
    tokens = training.batch_size * (encoded.source.shape[1] + encoded.target.shape[1] - 1)
    seconds = compile_seconds(sized) + steps * step_seconds(sized, tokens)
    summary = (
        f"**{parameter_count(sized):,}** parameters · **{len(pairs)}** pairs · "
        f"vocabularies of **{sized.source_vocab_size}** and **{sized.target_vocab_size}** · "
        f"**{steps:,}** steps · about **{duration(seconds)}**"
    )
    return RunPlan(tuple(pairs), model, training, _name(pairs, sized, preset), summary)


def _name(pairs: Sequence[Pair], sized: ModelConfig, preset: Preset) -> str:
    """What the model will be called: its pairs, and its preset where it is not the plain classroom one."""
    name = CLASSROOM_NAME if tuple(pairs) == PAIRS else f"Your {len(pairs)} pairs"
    as_preset = preset.model.replace(
        source_vocab_size=sized.source_vocab_size, target_vocab_size=sized.target_vocab_size
    )
    details = ([] if preset is CLASSROOM else [preset.title.lower()]) + (
        [] if as_preset == sized else ["changed"]
    )
    return f"{name} ({', '.join(details)})" if details else name
