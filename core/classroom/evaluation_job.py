"""One person's evaluation as a job: its steps, and the figures it ends with."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.classroom.jobs import Job, Outcome, Progress, Work
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
    time_message = "Stopped after {}, to let others evaluate."

    def __init__(self, plan: EvaluationPlan, on_result: Callable[[EvaluationResult], None]) -> None:
        self.plan = plan
        self.progress = Progress()
        self._on_result = on_result
        self._run: EvaluationRun | None = None

    def steps(self) -> Generator[str | None]:
        from core.evaluation import EvaluationRun

        yield "Reading the pairs."
        model = self.plan.model
        run = EvaluationRun(model.checkpoint, self.plan.read(), self.plan.decoding, model.translator)
        self._run = run
        self.progress = Progress(0, run.total)
        yield None
        for done in run.steps():
            self.progress = Progress(done, run.total)
            yield None

    def finish(self) -> Outcome:
        run = self._run
        assert run is not None
        if run.done:
            sentences = tuple(run.sentences[row] for row in sorted(run.sentences))
            self._on_result(EvaluationResult(self.plan, run.result(), sentences, run.total))
        return Outcome(run.done == run.total)


EvaluationJob = Job[EvaluationWork, Progress]
