"""One person's training in a worker thread: it calls no Streamlit, and pages draw what it reports."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.classroom.job import ACTIVE, AfterTurn, Status, WorkerJob
from core.classroom.queue import RunQueue
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.config import ModelConfig, TrainingConfig
from core.pipeline import PreparedPairs, TrainingPairs
from core.records import Pair, StepReport, Translation
from core.subword_pairs import PreparedCorpus

if TYPE_CHECKING:
    from core.training.loop import TrainingRun

NUM_WATCHED = 5  # sentences translated again and again during training
NUM_PREVIEWS = 25  # times in a training
EPOCHS_MORE = 100  # that a finished training may go on for at a time

Prepared = PreparedPairs | PreparedCorpus


@dataclass(frozen=True)
class JobView:
    """A training at one moment, for drawing."""

    status: Status
    place: int  # trainings to wait for
    reports: list[StepReport]
    total_steps: int
    epochs: int
    watched: list[tuple[int, tuple[str, ...]]]  # (moment, translations of the watched sentences)
    results: tuple[Translation, ...]  # of every pair, once the training rests
    seconds: float  # trained so far
    seconds_left: float | None  # None while unknown
    message: str  # why it failed or stopped by itself
    resumable: bool  # whether it can go on from where it is
    doing: str  # what a training that starts is busy with; empty where that is not known

    @property
    def active(self) -> bool:
        return self.status in ACTIVE

    @property
    def steps_done(self) -> int:
        return self.reports[-1].step if self.reports else 0


@dataclass
class _Progress:
    """What the worker thread writes and pages read, under the job's lock."""

    watched: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    results: tuple[Translation, ...] = ()
    seconds: float = 0.0
    running_since: float | None = None
    steps_then: int = 0
    doing: str = ""


class TrainingJob(WorkerJob):
    """Trains one model on one person's pairs. Start, stop and go on as often as they like.

    Args:
        name: what the trained model is called.
        prepared: what to train on; None where the job itself prepares it, in its thread.
        model: its shape.
        training: how to train it.
        queue: of the server.
        time_limit: seconds after which it stops by itself.
        on_rest: told the model each time the training comes to rest, in the worker thread.
    """

    expected_errors = (ValueError, ArithmeticError)  # a training may diverge

    def __init__(
        self,
        name: str,
        prepared: Prepared | None,
        model: ModelConfig,
        training: TrainingConfig,
        queue: RunQueue,
        time_limit: float,
        on_rest: Callable[[TrainingJob, TrainedModel], None],
    ) -> None:
        super().__init__(queue, time_limit, "Training failed on the server. Press Reset and start again.")
        self.name = name
        self.prepared = prepared
        self.model = model
        self.training = training
        self._on_rest = on_rest
        self._progress = _Progress()
        self._reports: list[StepReport] = []
        self.validation: TrainingPairs | None = None  # what epochs are judged by, where there is any
        self._run: TrainingRun | None = None
        self._steps: int | None = None  # of an epoch
        self._abandoned = False

    def train_longer(self, epochs: int) -> None:
        """Go on for that many epochs more than are done. For a training at rest.

        Raises:
            QueueFullError: too many trainings wait already.
            ConfigError: that is more epochs than a training may have.
        """
        with self._lock:
            if self._is_active:
                return  # pressed twice
            ticket = self._queue.enter()
            if self._run is not None:
                try:
                    self._run.train_longer(epochs)
                except ValueError:
                    self._queue.leave(ticket)
                    raise
                self.training = self._run.training_config
            self._launch(ticket)

    def abandon(self) -> None:
        """Stop, and make nothing of it: nobody wants its model any more."""
        self._abandoned = True
        self.stop()

    def view(self) -> JobView:
        """How it stands now."""
        with self._lock:
            progress = self._progress
            now = time.monotonic()
            running = now - progress.running_since if progress.running_since else 0.0
            total = self.training.epochs * self._steps_per_epoch
            reports = list(self._reports)
            steps = len(reports) - progress.steps_then
            left = (total - len(reports)) * running / steps if steps > 0 and progress.running_since else None
            return JobView(
                status=self._status,
                place=self._place,
                reports=reports,
                total_steps=total,
                epochs=self.training.epochs,
                watched=list(progress.watched),
                results=progress.results,
                seconds=progress.seconds + running,
                seconds_left=left,
                message=self._message,
                resumable=self._run is not None or not reports,
                doing=progress.doing,
            )

    def forget(self) -> None:
        """Let go of what going on would take, which is much of a large model. Not of the trained model."""
        with self._lock:
            if self._is_active or self._run is None:
                return
            self._steps = self._run.steps_per_epoch
            self._run = None
            self._message = (
                "Other people's trainings needed the memory: this one can no longer go on. Its model is kept."
            )

    @property
    def watched_pairs(self) -> tuple[Pair, ...]:
        """What is translated again and again during training."""
        return self.prepared.pairs[:NUM_WATCHED] if self.prepared is not None else ()

    @property
    def _steps_per_epoch(self) -> int:
        if self._run is not None:
            return self._run.steps_per_epoch  # counted once; many pairs take their time
        if self._steps is None:
            self._steps = self.prepared.encoded.steps_per_epoch(self.training) if self.prepared else 0
        return self._steps

    @property
    def epochs_more(self) -> int:
        """How far the next Continue of a finished training goes."""
        return EPOCHS_MORE

    @property
    def moments(self) -> str:
        """What the moments of the watched translations are counted in."""
        return "epoch"

    def _moment(self, run: TrainingRun) -> int:
        return run.epochs_done

    def _prepare(self, stop: threading.Event) -> bool:
        """Whatever must be done before the first step, in the worker thread; False where it was stopped."""
        return True

    def _is_time_to_watch(self, report: StepReport) -> bool:
        """Whether to translate the watched sentences after a step."""
        every = max(1, self.training.epochs * self._steps_per_epoch // NUM_PREVIEWS)
        return report.step % every == 0

    def _do(self, stop: threading.Event) -> AfterTurn | None:
        model = self._train(stop)
        # In nobody's way: the turn is over.
        return None if model is None else model.translator.warm_up

    def _train(self, stop: threading.Event) -> TrainedModel | None:
        load_tensorflow()
        from core.training.loop import TrainingRun

        if self._run is None:
            if not self._prepare(stop):
                self._set(Status.STOPPED)
                return None
            assert self.prepared is not None
            pairs: TrainingPairs = self.prepared.encoded
            self._run = TrainingRun(self.model, self.training, pairs, validation=self.validation)
        run = self._run
        if not run.history:
            self._watch(run)  # what it says before it has learnt anything
        message = ""
        started = time.monotonic()
        with self._lock:
            self._progress.running_since = None
        for report in run.steps():
            with self._lock:
                self._reports.append(report)
                if self._progress.running_since is None:  # the first step compiles; time starts after it
                    self._status = Status.RUNNING
                    self._progress.running_since = time.monotonic()
                    self._progress.steps_then = len(self._reports)
            if self._is_time_to_watch(report):
                self._watch(run)
            if time.monotonic() - started > self._time_limit:
                message = f"Stopped after {self._time_limit / 60:.0f} minutes, to let others train. Continue goes on."
                break
            if stop.is_set():
                break
        if run.out_of_patience:
            message = f"Ended early: no better loss for {run.training_config.patience} epochs."
        return self._rest(run, message)

    def _watch(self, run: TrainingRun) -> None:
        """Translate the watched sentences with the weights as they are."""
        from core.decoding.translator import Translator

        assert self.prepared is not None
        translator = Translator(
            run.model_config,
            run.last_weights(),
            self.prepared.source_tokenizer,
            self.prepared.target_tokenizer,
        )
        watched = [pair.source for pair in self.watched_pairs]
        texts = tuple(translation.text for translation in translator.translate(watched))
        with self._lock:
            self._progress.watched.append((self._moment(run), texts))

    def _rest(self, run: TrainingRun, message: str) -> TrainedModel | None:
        """Hand over the model and translate every pair with it."""
        if self._abandoned:
            self._set(Status.STOPPED)
            return None
        from core.storage.snapshot import snapshot

        assert self.prepared is not None
        with self._lock:
            since = self._progress.running_since
            self._progress.seconds += time.monotonic() - since if since else 0.0
            self._progress.running_since = None
        model = TrainedModel(self.name, snapshot(run, self.prepared, self._progress.seconds))
        results = tuple(model.translator.translate([pair.source for pair in self.prepared.pairs]))
        self._on_rest(self, model)  # before anybody sees that it rests
        with self._lock:
            self._progress.results = results
            self._message = message
            self._status = Status.FINISHED if run.finished else Status.STOPPED
        return model

    def _fail(self, message: str) -> None:
        """After a divergence: keep the model of the best epoch before it, if there was one."""
        run = self._run
        if run is not None and run.best_epoch:
            self._rest(run, f"{message} The model is the one of epoch {run.best_epoch}.")
        self._set(Status.FAILED, self._message or message)

    def _set(self, status: Status, message: str = "") -> None:
        super()._set(status, message)
        with self._lock:
            self._progress.running_since = None
