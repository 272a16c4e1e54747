"""One person's evaluation in a worker thread: it calls no Streamlit, and pages draw what it reports."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.config import DecodingConfig
from core.figures.score_by_length import LengthScore
from core.records import Pair
from pages.components.length_scores import length_scores
from pages.components.run_queue import RunQueue
from pages.components.tensorflow_import import load_tensorflow
from pages.components.trained_model import TrainedModel
from pages.components.training_job import ACTIVE, Status
from pages.components.words import file_name

if TYPE_CHECKING:
    from core.evaluation import Evaluation, EvaluationRun, SentenceResult

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EvaluationPlan:
    """What is evaluated on what."""

    model: TrainedModel
    data: str  # for people: "TED talks, Portuguese to English, validation, 200 pairs (seed 0)"
    slug: str  # of the data, for file names
    note: str  # what people should know about the data
    read: Callable[[], Sequence[Pair]]  # called in the worker thread, where it may take its time
    decoding: DecodingConfig

    @property
    def search(self) -> str:
        """How it searches, for people."""
        if self.decoding.beam_size == 1:
            return "greedy"
        return f"beam {self.decoding.beam_size}, length penalty {self.decoding.length_penalty:g}"

    @property
    def title(self) -> str:
        """The model and how it searches."""
        return f"{self.model.name}, {self.search}"


@dataclass(frozen=True)
class EvaluationResult:
    """The figures of an evaluation and every sentence, in the order of the pairs."""

    plan: EvaluationPlan
    figures: Evaluation
    sentences: tuple[SentenceResult, ...]
    total: int  # pairs there were to evaluate; more than evaluated where somebody stopped
    by_length: tuple[LengthScore, ...]  # BLEU of short and of long sentences

    @property
    def slug(self) -> str:
        """What files made of it are called."""
        return f"{file_name(self.plan.model.name)}-{self.plan.slug}-{file_name(self.plan.search)}"


@dataclass(frozen=True)
class EvaluationView:
    """An evaluation at one moment, for drawing."""

    status: Status
    place: int  # evaluations to wait for
    done: int  # pairs
    total: int
    seconds_left: float | None  # None while unknown
    message: str  # why it failed

    @property
    def active(self) -> bool:
        return self.status in ACTIVE


@dataclass
class _Progress:
    """What the worker thread writes and pages read, under the job's lock."""

    status: Status = Status.WAITING
    done: int = 0
    total: int = 0
    seconds: float = 0.0  # for the pairs done
    message: str = ""
    running_since: float = field(default_factory=time.monotonic)


class EvaluationJob:
    """Evaluates one model once; may be stopped, and keeps what is done.

    Args:
        plan: what to do.
        queue: of the server.
        time_limit: seconds after which it stops by itself.
        on_result: told the result, in the worker thread.
    """

    def __init__(
        self,
        plan: EvaluationPlan,
        queue: RunQueue,
        time_limit: float,
        on_result: Callable[[EvaluationResult], None],
    ) -> None:
        self.plan = plan
        self._queue = queue
        self._time_limit = time_limit
        self._on_result = on_result
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._progress = _Progress()
        self._ticket: object = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin.

        Raises:
            QueueFullError: too many evaluations wait already.
        """
        self._ticket = self._queue.enter()
        self._thread = threading.Thread(target=self._work, daemon=True, name="evaluation")
        self._thread.start()

    def stop(self) -> None:
        """Come to rest after the batch under way."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it rests; whether it does."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        with self._lock:
            return self._progress.status in ACTIVE

    @property
    def stopping(self) -> bool:
        """Whether somebody has pressed Stop."""
        return self._stop.is_set()

    def view(self) -> EvaluationView:
        """How it stands now."""
        with self._lock:
            progress = self._progress
            left = None
            if progress.done:
                left = progress.seconds / progress.done * (progress.total - progress.done)
            return EvaluationView(
                status=progress.status,
                place=self._queue.place(self._ticket) if progress.status is Status.WAITING else 0,
                done=progress.done,
                total=progress.total,
                seconds_left=left,
                message=progress.message,
            )

    def _work(self) -> None:
        with self._queue.turn(self._ticket, self._stop) as mine:
            if not mine:
                self._set(Status.STOPPED)
                return
            self._set(Status.STARTING)
            try:
                self._evaluate()
            except ValueError as error:  # the message says what to change
                self._set(Status.FAILED, str(error))
            except Exception:
                _log.exception("An evaluation failed")
                self._set(Status.FAILED, "The evaluation failed on the server. Try another model or data.")

    def _evaluate(self) -> None:
        load_tensorflow()
        from core.evaluation import EvaluationRun

        model = self.plan.model
        run = EvaluationRun(model.checkpoint, self.plan.read(), self.plan.decoding, model.translator)
        started = time.monotonic()
        with self._lock:
            self._progress.total = run.total
            self._progress.status = Status.RUNNING
        if not self._stop.is_set():
            for done in run.steps():
                with self._lock:
                    self._progress.done = done
                    self._progress.seconds = time.monotonic() - started
                if self._stop.is_set() or time.monotonic() - started > self._time_limit:
                    break
        if run.done:
            self._on_result(_result_of(self.plan, run))
        self._set(Status.FINISHED if run.done == run.total else Status.STOPPED)

    def _set(self, status: Status, message: str = "") -> None:
        with self._lock:
            self._progress.status = status
            self._progress.message = message


def _result_of(plan: EvaluationPlan, run: EvaluationRun) -> EvaluationResult:
    sentences = tuple(run.sentences[row] for row in sorted(run.sentences))
    return EvaluationResult(plan, run.result(), sentences, run.total, tuple(length_scores(sentences)))
