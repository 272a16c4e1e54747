from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.classroom.jobs import duration
from core.classroom.settings import server_settings
from core.classroom.training_job import TrainingPlan
from core.classroom.workspace import Workspace
from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM, Preset
from core.records import Pair
from core.training.batches import TrainingPairs
from core.training.estimate import compile_seconds, step_seconds
from core.training.pairs import PipelineError
from core.training.recipe import PreparedTraining, prepare_word_training
from core.weights import parameter_count
from pages.components.app.queues import training_queue
from pages.components.widgets.model.training import CLASSROOM_NAME

_MAX_KEPT = 16  # of all visitors; 1 MB of pairs, the most that is read, becomes a few MB


@dataclass(frozen=True)
class RunPlan:
    """A training that could start now, and what it will take."""

    plan: TrainingPlan
    summary: str  # Markdown

    def start(self, workspace: Workspace) -> None:
        """Start it.

        Raises:
            QueueFullError: too many trainings wait already.
            MemoryFullError: the server holds as much as it may.
        """
        workspace.start_training(self.plan, training_queue())


def plan_run(
    pairs: Sequence[Pair],
    model: ModelConfig,
    training: TrainingConfig,
    preset: Preset,
    held_out_share: float = 0.0,
) -> RunPlan:
    """Check the pairs and estimate what a training takes, before it starts.

    Raises:
        PipelineError: the pairs cannot be trained on.
    """
    limits = server_settings()
    if len(pairs) > limits.max_pairs:
        raise PipelineError(
            f"The app trains on at most {limits.max_pairs} pairs. Received: {len(pairs):,}. Delete some, or train "
            "on your own machine: python -m core train FILE --out FOLDER."
        )
    prepared = _prepared(tuple(pairs), model, training, held_out_share)
    sized, encoded = prepared.model, prepared.encoded
    if parameter_count(sized) > limits.max_parameters:
        raise PipelineError(
            f"The app trains models of at most {limits.max_parameters:,} parameters. Received: "
            f"{parameter_count(sized):,}. Choose fewer layers or a smaller d_model or d_ff."
        )
    steps = training.epochs * encoded.steps_per_epoch(training)
    held_out = f", **{len(prepared.held_out)}** held out" if prepared.held_out else ""
    summary = (
        f"**{parameter_count(sized):,}** parameters · **{len(prepared.pairs)}** pairs{held_out} · "
        f"vocabularies of **{sized.source_vocab_size}** and **{sized.target_vocab_size}** · "
        f"**{steps:,}** steps · about **{duration(_seconds(prepared))}**"
    )
    return RunPlan(TrainingPlan(_name(pairs, sized, preset), prepared), summary)


@lru_cache(maxsize=_MAX_KEPT)
def _prepared(
    pairs: tuple[Pair, ...], model: ModelConfig, training: TrainingConfig, held_out_share: float
) -> PreparedTraining:
    """Once for all runs of the page, and for all who train on the same: long pairs took half a second each time."""
    return prepare_word_training(pairs, model, training, held_out_share=held_out_share)


def _seconds(prepared: PreparedTraining) -> float:
    """What compiling, all steps, and judging each epoch by what is held out take, about."""
    model, training = prepared.model, prepared.training

    def of_epoch(pairs: TrainingPairs) -> float:
        batch = next(pairs.batches(training, epoch=1))
        tokens = batch.source.size + batch.labels.size
        return pairs.steps_per_epoch(training) * step_seconds(model, tokens)

    seconds = compile_seconds(model) + training.epochs * of_epoch(prepared.encoded)
    if prepared.validation is not None:  # forward alone: a third of the arithmetic, in a graph of its own
        seconds += (compile_seconds(model) + training.epochs * of_epoch(prepared.validation)) / 3
    return seconds


def _name(pairs: Sequence[Pair], sized: ModelConfig, preset: Preset) -> str:
    """What the model will be called: its pairs, and its preset where it is not the plain classroom one."""
    name = (
        CLASSROOM_NAME if tuple(pairs) == PAIRS else f"Your {len(pairs)} pair{'s' if len(pairs) > 1 else ''}"
    )
    as_preset = preset.model.replace(
        source_vocab_size=sized.source_vocab_size, target_vocab_size=sized.target_vocab_size
    )
    details = ([] if preset is CLASSROOM else [preset.title.lower()]) + (
        [] if as_preset == sized else ["changed"]
    )
    return f"{name} ({', '.join(details)})" if details else name
