"""A user's training run as a job: its plan, steps and model."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from core.checkpoints.from_training import checkpoint_of
from core.errors import InputError
from core.inference.translator import Translator
from core.language import N_, _, ngettext, number
from core.language_model.model import LanguageModel
from core.language_model.training import PreparedTexts
from core.records.text import Pair, Translation
from core.records.training import EpochReport, LearningSnapshot, StepReport, TrainingState, WatchedSentence
from core.server.jobs import Job, Outcome, Progress, Work
from core.server.memory import also_count, when_short
from core.server.trained_model import TrainedModel
from core.trainer.client import RemoteTraining, Trainer, TrainerDiedError, TrainerHungError
from core.trainer.messages import Compiling, Failed, News, Reply, Rested
from core.trainer.snapshots import watched_sentences
from core.training.recipe import PreparedTraining
from core.training.step_log import StepLog
from core.weights import unflatten


@cache
def server_trainer() -> Trainer:
    """Return the server's trainer."""
    trainer = Trainer()
    when_short(lambda: trainer.end(only_if_idle=True))
    also_count(lambda: trainer.pid)
    # Before the interpreter ends, while the thread that reads can still be joined.
    atexit.register(trainer.end)
    return trainer


@dataclass(frozen=True)
class TrainingPlan:
    """A training run that is ready to start."""

    name: str  # of the model
    prepared: PreparedTraining
    experiment: str = ""  # the one change that is tried, in words
    wanted: tuple[Pair, ...] = ()  # the pairs to watch before all others

    @property
    def title(self) -> str:
        """The name that tells this run from others on the same pairs."""
        return self.experiment or self.name

    @cached_property
    def watched(self) -> tuple[WatchedSentence, ...]:
        """The sentences whose translations are watched."""
        tokenizers = self.prepared.source_tokenizer, self.prepared.target_tokenizer
        return watched_sentences(self.prepared.pairs, self.prepared.held_out, tokenizers, self.wanted)


@dataclass(frozen=True)
class TrainingProgress(Progress):
    """The steps done, and everything that a page draws of them."""

    reports: tuple[StepReport, ...] = ()  # thinned
    epochs: tuple[EpochReport, ...] = ()
    snapshots: tuple[LearningSnapshot, ...] = ()  # of the watched sentences
    # Once the run rests, with the model's weights:
    results: tuple[Translation, ...] = ()  # of the training pairs, at most 200
    held_out_results: tuple[Translation, ...] = ()  # of all held-out pairs
    weights_epoch: int = 0  # the epoch of the weights; 0 before the first has ended


_LOADING = N_(
    "Preparing: loading TensorFlow and compiling the training step. About ten seconds, once; longer on a busy server."
)
_COMPILING = N_("Compiling the training step. About ten seconds, once; longer on a busy server.")
_DIED = N_("The training process has ended unexpectedly, perhaps for lack of memory.")
_HUNG = N_("The training process stopped responding, so the server ended it.")
_LOOK_SECONDS = 0.2  # between two looks whether a training that prepares itself was stopped


class TrainingWork(Work[TrainingProgress]):
    """Trains one model in the trainer process, which also records its translations of a few sentences.

    Args:
        plan: what to train; `train_longer` gives it more epochs.
        on_rest: called with this work and the model, in the worker thread, each time the run comes to rest. The model is
            a `TrainedModel`; of `PreparedTexts`, a `LanguageModel`.
    """

    failure_message = N_("Training failed on the server. Press Retrain from scratch.")
    time_message = N_("Stopped after {time}, to let others train. Press Continue to resume.")
    expected_errors = (ValueError, ArithmeticError)  # ArithmeticError: training has diverged

    def __init__(self, plan: TrainingPlan, on_rest: Callable[[TrainingWork, Any], None]) -> None:
        self.plan = plan
        self.progress = TrainingProgress()
        self._on_rest = on_rest
        self._saved: TrainingState | None = None  # the newest state that the trainer has sent
        self._log = StepLog()
        self._last: Rested | Failed | None = None  # the trainer's last reply
        self._died = _DIED  # why there was none

    def steps(self) -> Generator[str | None]:
        yield _(_LOADING)
        self._go_back_to_saved()
        self._last = None
        has_begun = False
        preparing = _(_LOADING)
        training = server_trainer().train(self.plan.prepared, self.plan.watched, self._saved)
        try:
            while self._last is None:
                reply = training.next_reply(_LOOK_SECONDS)
                if isinstance(reply, Compiling):
                    preparing = _(_COMPILING)
                has_begun = has_begun or isinstance(reply, News)
                self._note(reply)
                yield None if has_begun else preparing
        except TrainerDiedError as error:
            self._note_death(error)
            self._check_saved()
        finally:
            training.stop()
            if has_begun:
                self._wait_for_end(training)
        self._check_success()

    def expected_seconds(self) -> float | None:
        left = 1 - self.progress.done / max(1, self.progress.total)
        return self.plan.prepared.estimate_seconds() * left

    def finish(self) -> Outcome:
        self._check_success()
        self._check_saved()
        if self._last is None:
            self._go_back_to_saved()
        self._make_model()
        if self._last is None:
            kept = _("Everything up to epoch {epoch} is kept. Press Continue to go on from there.").format(
                epoch=number(self.kept_step // self.plan.prepared.steps_per_epoch, ",")
            )
            return Outcome(False, f"{_(self._died)} {kept}")
        assert isinstance(self._last, Rested)
        if not self._last.out_of_patience:
            return Outcome(self._last.finished)
        patience = self.plan.prepared.training.patience
        message = ngettext(
            "Stopped early (patience): no better validation loss for {count} epoch.",
            "Stopped early (patience): no better validation loss for {count} epochs.",
            patience or 0,
        )
        return Outcome(True, message.format(count=patience))

    def on_error(self, message: str) -> str:
        """Keep the model of the best epoch, if any, after a divergence."""
        if self._saved is None or not self._saved.best_epoch:
            return message
        self._make_model()
        kept = _("The model kept is that of epoch {epoch}.").format(epoch=self._saved.best_epoch)
        return f"{message} {kept}"

    def train_longer(self, epochs: int) -> None:
        """Set the number of epochs to `epochs` beyond those done, for a run at rest.

        Raises:
            InputError: the sum is more than a training run may have.
        """
        if self._saved is None:
            return
        prepared = self.plan.prepared
        done = self._saved.step // prepared.steps_per_epoch
        training = prepared.training.replace(epochs=done + epochs)
        self.plan = replace(self.plan, prepared=replace(prepared, training=training))
        self._saved = replace(self._saved, patience_start=done)
        self._count_steps()

    @property
    def kept_step(self) -> int:
        """The step from which the run would continue."""
        return self._saved.step if self._saved else 0

    def _check_success(self) -> None:
        """Raise the error of a training that has failed."""
        if isinstance(self._last, Failed):
            if self._last.error is not None:
                raise self._last.error
            raise RuntimeError("The trainer's log says why.")

    def _check_saved(self) -> None:
        """Raise the error of a training whose process has died before it had sent anything to continue from."""
        if self._saved is None:
            again = _("Train again, or with a smaller model.")
            raise InputError(f"{_(self._died)} {again}")

    def _go_back_to_saved(self) -> None:
        """Forget what was reported of steps that have to be taken again, since the trainer died after them."""
        reports = self._log.reports
        self._log = StepLog()
        for report in reports:
            if report.step <= self.kept_step:
                self._log.add(report)
        epochs: tuple[EpochReport, ...] = ()
        snapshots: tuple[LearningSnapshot, ...] = ()
        if self._saved is not None:
            epochs = self._saved.epochs
            snapshots = tuple(each for each in self.progress.snapshots if each.step <= self.kept_step)
        self.progress = replace(self.progress, epochs=epochs, snapshots=snapshots)
        self._count_steps()

    def _wait_for_end(self, training: RemoteTraining) -> None:
        """Take the replies that are still to come after a stop."""
        try:
            while self._last is None:
                reply = training.next_reply()
                if reply is None:
                    training.give_up()
                self._note(reply)
        except TrainerDiedError as error:
            self._note_death(error)

    def _note_death(self, error: TrainerDiedError) -> None:
        self._died = _HUNG if isinstance(error, TrainerHungError) else _DIED

    def _note(self, reply: Reply | None) -> None:
        """Keep what a reply tells."""
        if isinstance(reply, News):
            for report in reply.reports:
                self._log.add(report)
            self.progress = replace(
                self.progress,
                results=(),
                held_out_results=(),
                epochs=(*self.progress.epochs, *reply.epochs),
                snapshots=(*self.progress.snapshots, *reply.snapshots),
            )
        if isinstance(reply, News | Rested | Failed) and reply.saved is not None:
            self._saved = reply.saved
        if isinstance(reply, Rested | Failed):
            self._last = reply
        self._count_steps()

    def _count_steps(self) -> None:
        """Bring the numbers of steps in `progress` up to date with the log and the plan."""
        prepared = self.plan.prepared
        self.progress = replace(
            self.progress,
            done=self._log.last.step if self._log.last else 0,
            total=prepared.training.epochs * prepared.steps_per_epoch,
            reports=self._log.reports,
        )

    def _make_model(self) -> None:
        """Create the model, translate every pair with it, and hand it over."""
        assert self._saved is not None
        prepared = self.plan.prepared
        model: TrainedModel | LanguageModel
        translator: Translator | LanguageModel
        if isinstance(prepared, PreparedTexts):
            model = prepared.language_model(unflatten(self._saved.model_parameters, prepared.model))
            translator = model
        else:
            model = TrainedModel(self.plan.name, checkpoint_of(self._saved, prepared))
            translator = model.translator
        self.progress = replace(
            self.progress,
            results=_translated(translator, prepared.tried),
            held_out_results=_translated(translator, prepared.held_out),
            weights_epoch=self._saved.best_epoch,
        )
        self._on_rest(self, model)  # before the job is seen to rest


TrainingJob = Job[TrainingWork, TrainingProgress]


def _translated(translator: Translator | LanguageModel, pairs: tuple[Pair, ...]) -> tuple[Translation, ...]:
    return tuple(translator.translate([pair.source for pair in pairs]))
