from __future__ import annotations

import threading

import pytest

from core.classroom.jobs.job import Status
from core.classroom.jobs.queue import JobQueue
from core.classroom.jobs.recent_jobs import RecentJobs
from core.classroom.jobs.training_job import TrainingJob, TrainingWork
from core.classroom.jobs.training_plans import plan_for_corpus
from core.classroom.trained_model import TrainedModel
from core.config import TrainingConfig
from core.corpora.catalogue import Corpus
from core.corpora.split import Split
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records import Pair

MODEL = CLASSROOM.model.replace(
    num_layers=1, num_heads=1, d_model=16, d_ff=16, source_vocab_size=120, target_vocab_size=120
)
TRAINING = TrainingConfig(epochs=2, batch_tokens=64, schedule="linear", warmup_steps=2)


def job_of(corpus: Corpus) -> tuple[TrainingJob, list[TrainedModel]]:
    models: list[TrainedModel] = []

    def keep(work: TrainingWork, model: TrainedModel) -> None:
        models.append(model)

    work = TrainingWork(plan_for_corpus(corpus, None, MODEL, TRAINING), keep)
    return TrainingJob(work, JobQueue(1, 1), 600.0), models


@pytest.mark.slow
@pytest.mark.tensorflow_text
def test_a_corpus_is_prepared_trained_on_and_forgotten(tiny: Corpus) -> None:
    job, models = job_of(tiny)
    assert job.view().total == 0  # nothing is known before it is read
    job.start()
    assert job.wait(120)
    view = job.view()
    assert view.status is Status.FINISHED
    assert view.progress.can_go_on
    assert view.done == view.total > 2
    assert view.progress.epochs[-1].validation_loss is not None
    assert len(view.progress.results) == 15
    assert models[0].source_language == "French"
    assert models[0].is_subword

    job.forget()
    view = job.view()
    assert not view.progress.can_go_on
    assert view.total == view.done == view.progress.reports[-1].step  # the curves stay
    assert "this one cannot continue" in view.message


def test_stop_while_it_prepares(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    job, models = job_of(tiny)
    began, go_on = threading.Event(), threading.Event()

    def slowly(name: str, split: Split) -> tuple[Pair, ...]:
        began.set()
        assert go_on.wait(30)
        return PAIRS

    monkeypatch.setattr("core.classroom.jobs.training_plans.read_split", slowly)
    job.start()
    assert began.wait(60)
    assert "Reading Tiny" in job.view().preparing
    job.stop()
    go_on.set()
    assert job.wait(60)
    assert job.view().status is Status.STOPPED
    assert not models


def test_only_the_last_ones_can_go_on() -> None:
    class Resting:
        active = False
        forgotten = False

        def forget(self) -> None:
            self.forgotten = True

    jobs = [Resting() for _ in range(4)]
    recent = RecentJobs(most=2)
    for job in jobs:
        recent.add(job)  # type: ignore[arg-type]
    assert [job.forgotten for job in jobs] == [True, True, False, False]
