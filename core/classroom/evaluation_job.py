"""One person's evaluation in a worker thread: it calls no Streamlit, and pages draw what it reports."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.classroom.job import ACTIVE, Status, WorkerJob
from core.classroom.names import file_name
from core.classroom.queue import RunQueue
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig
from core.figures.score_by_length import LengthScore
from core.metrics.length_scores import length_scores
from core.records import Pair

if TYPE_CHECKING:
    from core.evaluation import Evaluation, EvaluationRun, SentenceResult


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


class EvaluationJob(WorkerJob):
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
        super().__init__(queue, time_limit, "The evaluation failed on the server. Try another model or data.")
        self.plan = plan
        self._on_result = on_result
        self._done = 0  # pairs; this and the next two are written by the worker thread, under the lock
        self._total = 0
        self._seconds = 0.0  # for the pairs done

    def view(self) -> EvaluationView:
        """How it stands now."""
        with self._lock:
            left = self._seconds / self._done * (self._total - self._done) if self._done else None
            return EvaluationView(self._status, self._place, self._done, self._total, left, self._message)

    def _do(self, stop: threading.Event) -> None:
        load_tensorflow()
        from core.evaluation import EvaluationRun

        model = self.plan.model
        run = EvaluationRun(model.checkpoint, self.plan.read(), self.plan.decoding, model.translator)
        started = time.monotonic()
        with self._lock:
            self._total = run.total
            self._status = Status.RUNNING
        if not stop.is_set():
            for done in run.steps():
                with self._lock:
                    self._done = done
                    self._seconds = time.monotonic() - started
                if stop.is_set() or time.monotonic() - started > self._time_limit:
                    break
        if run.done:
            self._on_result(_result_of(self.plan, run))
        self._set(Status.FINISHED if run.done == run.total else Status.STOPPED)


def _result_of(plan: EvaluationPlan, run: EvaluationRun) -> EvaluationResult:
    sentences = tuple(run.sentences[row] for row in sorted(run.sentences))
    return EvaluationResult(plan, run.result(), sentences, run.total, tuple(length_scores(sentences)))
