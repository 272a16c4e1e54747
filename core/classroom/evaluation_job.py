"""One person's evaluation as a job: its steps, and the figures it ends with."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.classroom.jobs import Job, Outcome, Progress, Work, duration
from core.classroom.models import TrainedModel
from core.config import DecodingConfig
from core.records import Pair, SentenceResult

if TYPE_CHECKING:
    from core.evaluation import Evaluation, EvaluationRun


@dataclass(frozen=True)
class EvaluationPlan:
    """What is evaluated on what."""

    model: TrainedModel
    data: str  # for people: "TED talks, Portuguese to English, validation, 200 pairs"
    note: str  # what people should know about the data
    read: Callable[[], Sequence[Pair]]  # called in the worker thread, where it may take its time
    decoding: DecodingConfig

    @property
    def search(self) -> str:
        """The search, in words."""
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


class EvaluationWork(Work[Progress]):
    """Evaluates one model once, pair by pair; may be stopped, and keeps what is done.

    Args:
        plan: what to do.
        on_result: told the result, in the worker thread.
    """

    failure_message = "The evaluation failed on the server. Try another model or data."

    def __init__(self, plan: EvaluationPlan, on_result: Callable[[EvaluationResult], None]) -> None:
        self.plan = plan
        self._on_result = on_result
        self._run: EvaluationRun | None = None
        self._progress = Progress()

    def progress(self) -> Progress:
        return self._progress

    def steps(self, report: Callable[[str], None]) -> Generator[None]:
        from core.evaluation import EvaluationRun

        report("Reading the pairs.")
        model = self.plan.model
        run = EvaluationRun(model.checkpoint, self.plan.read(), self.plan.decoding, model.translator)
        self._run = run
        self._progress = Progress(0, run.total)
        yield
        for done in run.steps():
            self._progress = Progress(done, run.total)
            yield

    def finish(self) -> Outcome:
        run = self._run
        assert run is not None
        if run.done:
            self._on_result(_result_of(self.plan, run))
        return Outcome(run.done == run.total)

    def time_limit_message(self, seconds: float) -> str:
        return f"Stopped after {duration(seconds)}, to let others evaluate."


EvaluationJob = Job[EvaluationWork, Progress]


def _result_of(plan: EvaluationPlan, run: EvaluationRun) -> EvaluationResult:
    sentences = tuple(run.sentences[row] for row in sorted(run.sentences))
    return EvaluationResult(plan, run.result(), sentences, run.total)
