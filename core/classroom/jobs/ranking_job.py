"""One person's ranking of all heads as a job."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from core.classroom.corpora.corpus_reading import corpora_here, read_sample
from core.classroom.duration import duration
from core.classroom.jobs.job import Job, Outcome, Progress, Work
from core.classroom.trained_model import TrainedModel
from core.records import Pair

if TYPE_CHECKING:
    from core.interpretability.heads.importance import HeadCosts, HeadRanking


@dataclass(frozen=True)
class RankingPlan:
    """The model whose heads are ranked, and the pairs that they are ranked on."""

    model: TrainedModel
    data: str  # for people
    read: Callable[[], Sequence[Pair]]  # called in the worker thread


def plan_ranking(model: TrainedModel, size: int) -> RankingPlan:
    """Validation pairs in the model's languages if they are on this machine, otherwise the model's examples.

    Args:
        model: whose heads are ranked.
        size: the most pairs.
    """
    for name, corpus in corpora_here().items():
        fits = model.is_subword and corpus.language_names == (model.source_language, model.target_language)
        if fits and "validation" in corpus.splits_here:
            read = partial(read_sample, name, "validation", size, 0)
            return RankingPlan(model, f"{corpus.title}, validation", read)
    examples = model.checkpoint.examples[:size]
    return RankingPlan(model, "the model’s own example pairs", lambda: examples)


MAX_TOKENS = 128


class RankingWork(Work[Progress]):
    """Switches off each head in turn, sentence by sentence; may be stopped, and keeps what is done.

    Args:
        plan: what to do.
    """

    failure_message = "Ranking the heads failed on the server. Try another model."

    def __init__(self, plan: RankingPlan) -> None:
        self.plan = plan
        self.costs: HeadCosts | None = None  # when it has come to rest, if a sentence was done
        self._run: HeadRanking | None = None
        self._progress = Progress()

    def progress(self) -> Progress:
        return self._progress

    def steps(self, report: Callable[[str], None]) -> Generator[None]:
        report("Reading the pairs and preparing the model. A few seconds.")
        # Before the imports: this loads TensorFlow in the one place for that.
        translator = self.plan.model.translator
        from core.interpretability.heads.importance import HeadRanking, readable_pairs
        from core.interpretability.tracer import Tracer

        if self._run is None:
            tracer = Tracer(translator)
            pairs = readable_pairs(tracer, self.plan.read(), MAX_TOKENS)
            self._run = HeadRanking(tracer, pairs)
        self._progress = Progress(self._run.done, self._run.total)
        yield
        for done in self._run.steps():
            self._progress = Progress(done, self._run.total)
            yield

    def finish(self) -> Outcome:
        run = self._run
        assert run is not None
        if run.total == 0:
            return Outcome(True, "There are no pairs that this model can read. Choose another model.")
        if run.done:
            self.costs = run.result()
        return Outcome(run.done == run.total)

    def time_limit_message(self, seconds: float) -> str:
        return f"Stopped after {duration(seconds)}, to let others work."


RankingJob = Job[RankingWork, Progress]
