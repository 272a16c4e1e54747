"""A user's training run as a job: its plan, steps and model."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from core.classroom.jobs import Job, Outcome, Progress, Work
from core.classroom.models import TrainedModel
from core.inference.translator import TranslationError, Translator
from core.records import EpochReport, LearningMoment, Pair, StepReport, Translation, WatchedSentence
from core.training.moments import moment_of, moment_steps, watched_sentences
from core.training.recipe import PreparedTraining

if TYPE_CHECKING:
    from core.training.loop import TrainingRun


@dataclass(frozen=True)
class TrainingPlan:
    """A training run that is ready to start."""

    name: str  # of the model
    prepared: PreparedTraining
    experiment: str = ""  # the one change that is tried, in words

    @property
    def title(self) -> str:
        """The name that tells this run from others on the same pairs."""
        return self.experiment or self.name

    @cached_property
    def watched(self) -> tuple[WatchedSentence, ...]:
        """The sentences whose translations are watched."""
        tokenizers = self.prepared.source_tokenizer, self.prepared.target_tokenizer
        return watched_sentences(self.prepared.pairs, self.prepared.held_out, tokenizers)


@dataclass(frozen=True)
class TrainingProgress(Progress):
    """The steps done, and everything that a page draws of them."""

    num_epochs: int = 0
    reports: tuple[StepReport, ...] = ()  # thinned
    epochs: tuple[EpochReport, ...] = ()
    moments: tuple[LearningMoment, ...] = ()  # of the watched sentences
    prepared: PreparedTraining = field(kw_only=True)
    # Once the run rests, with the model's weights:
    results: tuple[Translation, ...] = ()  # of all training pairs
    held_out_results: tuple[Translation, ...] = ()  # of all held-out pairs
    weights_epoch: int = 0  # the epoch of the weights; 0 before the first has ended


class TrainingWork(Work[TrainingProgress]):
    """Trains one model, and records its translations of a few sentences meanwhile.

    Args:
        plan: what to train.
        on_rest: called with this work and the model, in the worker thread, each time the run comes to rest.
    """

    failure_message = "Training failed on the server. Press Retrain from scratch."
    time_message = "Stopped after {}, to let others train. Press Continue to resume."
    expected_errors = (ValueError, ArithmeticError)  # ArithmeticError: training has diverged

    def __init__(self, plan: TrainingPlan, on_rest: Callable[[TrainingWork, TrainedModel], None]) -> None:
        self.plan = plan
        self.progress = TrainingProgress(num_epochs=plan.prepared.training.epochs, prepared=plan.prepared)
        self._on_rest = on_rest
        self._run: TrainingRun | None = None

    def steps(self) -> Generator[str | None]:
        yield "Preparing: loading TensorFlow and compiling the training step. Up to 15 seconds, once."
        load_tensorflow()
        if self._run is None:
            yield "Compiling the training step. Up to 15 seconds, once."
            self._run = self.plan.prepared.new_run()
        run = self._run
        self._update(run)
        self.progress = replace(self.progress, results=(), held_out_results=())
        moments = moment_steps(run.total_steps, run.steps_per_epoch)
        if not self.progress.moments:
            self._record_moment(run)  # the untrained model
        for step in run.steps():
            if step.step in moments:
                self._record_moment(run)
            self._update(run)
            yield None

    def finish(self) -> Outcome:
        run = self._run
        assert run is not None
        if self.progress.moments and self.progress.moments[-1].step < run.state.step:
            self._record_moment(run)  # the run was stopped
        self._make_model(run)
        if not run.out_of_patience:
            return Outcome(run.finished)
        patience = run.training_config.patience
        return Outcome(True, f"Stopped early (patience): no better validation loss for {patience} epochs.")

    def on_error(self, message: str) -> str:
        """Keep the model of the best epoch, if any, after a divergence."""
        run = self._run
        if run is None or not run.best_epoch:
            return message
        self._make_model(run)
        return f"{message} The model kept is that of epoch {run.best_epoch}."

    def train_longer(self, epochs: int) -> None:
        """Set the number of epochs to `epochs` beyond those done, for a run at rest.

        Raises:
            ConfigError: the sum is more than a training run may have.
        """
        if self._run is not None:
            self._run.train_longer(epochs)
            self._update(self._run)

    def _update(self, run: TrainingRun) -> None:
        self.progress = replace(
            self.progress,
            done=run.state.step,
            total=run.total_steps,
            num_epochs=run.training_config.epochs,
            reports=run.log.reports,
            epochs=tuple(run.epochs),
        )

    def _record_moment(self, run: TrainingRun) -> None:
        """Record the model's translations of the watched sentences with the current weights."""
        prepared, progress = self.plan.prepared, self.progress
        tokenizers = prepared.source_tokenizer, prepared.target_tokenizer
        translator = Translator(run.model_config, run.last_weights(), *tokenizers)
        with suppress(TranslationError):  # the weights overflow
            moment = moment_of(translator, self.plan.watched, run.state.step)
            self.progress = replace(progress, moments=(*progress.moments, moment))

    def _make_model(self, run: TrainingRun) -> None:
        """Create the model, translate every pair with it, and hand it over."""
        from core.checkpoints.snapshot import snapshot  # which imports TensorFlow

        prepared = self.plan.prepared
        model = TrainedModel(self.plan.name, snapshot(run, prepared))
        self.progress = replace(
            self.progress,
            results=_translated(model.translator, prepared.pairs),
            held_out_results=_translated(model.translator, prepared.held_out),
            weights_epoch=run.best_epoch,
        )
        self._on_rest(self, model)  # before the job is seen to rest


TrainingJob = Job[TrainingWork, TrainingProgress]


def _translated(translator: Translator, pairs: tuple[Pair, ...]) -> tuple[Translation, ...]:
    return tuple(translator.translate([pair.source for pair in pairs]))


_importing = threading.Lock()
_imported = threading.Event()


def load_tensorflow() -> None:
    """Import TensorFlow and the training modules; call this before any such import in a server's thread.

    Two threads that import TensorFlow at once see each other's incomplete modules and fail, so the first one imports and
    the others wait.
    """
    with _importing:
        if _imported.is_set():
            return
        # One core per matrix product: sharing products of the classroom's sizes makes training take half as long again.
        # Other cores work on other products, and for other visitors.
        os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
        import tensorflow

        import core.checkpoints.snapshot
        import core.training.loop  # noqa: F401

        # Without this, it warns about many small compiled functions.
        tensorflow.get_logger().setLevel("ERROR")
        # Its million objects are never freed; without this, each garbage collection would take a tenth of a second.
        gc.collect()
        gc.freeze()
        _imported.set()
