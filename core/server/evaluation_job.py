"""A user's evaluation as a job: its plan, steps and result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.config import DecodingConfig
from core.language import N_, _
from core.records.text import Pair, SentenceResult
from core.server.jobs import Job, Outcome, Progress, Work
from core.server.trained_model import TrainedModel

if TYPE_CHECKING:
    from core.evaluation import Evaluation, EvaluationRun


@dataclass(frozen=True)
class EvaluationPlan:
    """The model, data and search of an evaluation."""

    model: TrainedModel
    data: str  # shown to users: "TED talks, Portuguese to English, validation, 200 pairs"
    note: str  # what users should know about the data
    read: Callable[[], Sequence[Pair]]  # called in the worker thread, where it may take long
    decoding: DecodingConfig

    @property
    def title(self) -> str:
        """The model and its search, in words."""
        return f"{self.model.name}, {self.decoding.in_words}"


@dataclass(frozen=True)
class EvaluationResult:
    """The metrics of an evaluation, and all sentences in the order of the pairs."""

    plan: EvaluationPlan
    metrics: Evaluation
    sentences: tuple[SentenceResult, ...]
    total: int  # pairs to evaluate; some are missing if the user stopped


class EvaluationWork(Work[Progress]):
    """Evaluates one model, pair by pair; after a stop, the result covers the pairs done."""

    failure_message = N_("The evaluation failed on the server. Try another model or data.")
    time_message = N_("Stopped after {time}, to let others evaluate.")

    def __init__(self, plan: EvaluationPlan, on_result: Callable[[EvaluationResult], None]) -> None:
        self.plan = plan
        self.progress = Progress()
        self._on_result = on_result
        self._run: EvaluationRun | None = None

    def steps(self) -> Generator[str | None]:
        from core.evaluation import EvaluationRun

        yield _("Reading the pairs.")
        run = EvaluationRun(self.plan.model.translator, self.plan.read(), self.plan.decoding)
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
