from __future__ import annotations

import time
from collections.abc import Callable, Generator

import pytest

from core.classroom.job import Status
from core.classroom.queue import QueueFullError, RunQueue
from core.classroom.trained_model import TrainedModel
from core.classroom.training_job import JobView, TrainingJob
from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.pipeline import prepare_words
from core.presets import CLASSROOM
from core.records import StepReport
from core.training.loop import TrainingRun
from core.training.step import TrainingState

SMALL = CLASSROOM.model.replace(num_layers=1, num_heads=1, d_model=16, d_ff=16)


class Models(list[TrainedModel]):
    """Keeps what jobs hand over."""

    def keep(self, job: TrainingJob, model: TrainedModel) -> None:
        self.append(model)


class DivergesAfter(TrainingRun):
    """A run whose weights become infinite by themselves after some epochs."""

    def __init__(self, epochs: int, job: TrainingJob) -> None:
        assert job.prepared is not None
        super().__init__(job.model, job.training, job.prepared.encoded)
        self._last_step = epochs * self.steps_per_epoch

    def steps(self) -> Generator[StepReport, None, None]:
        if self._last_step == 0:
            self._overflow()
        for report in super().steps():
            yield report
            if report.step == self._last_step:
                self._overflow()

    def _overflow(self) -> None:
        infinite = self.state.parameters * float("inf")
        self.state = TrainingState(infinite, self.state.moments, self.state.step)


def job_of(
    training: TrainingConfig, queue: RunQueue | None = None, limit: float = 600, models: Models | None = None
) -> TrainingJob:
    prepared, model = prepare_words(PAIRS, SMALL)
    kept = Models() if models is None else models
    return TrainingJob("small", prepared, model, training, queue or RunQueue(2, 10), limit, kept.keep)


def until(job: TrainingJob, condition: Callable[[JobView], bool], seconds: float = 300) -> JobView:
    deadline = time.monotonic() + seconds
    while not condition(view := job.view()):
        assert time.monotonic() < deadline, view
        time.sleep(0.02)
    return view


def at_rest(view: JobView) -> bool:
    return not view.active


def test_a_finished_training_hands_over_its_model_once() -> None:
    models = Models()
    job = job_of(TrainingConfig(epochs=5), models=models)
    job.start()
    job.start()  # pressed twice
    view = until(job, at_rest)
    assert view.status is Status.FINISHED
    assert view.steps_done == view.total_steps == 10
    assert len(view.results) == 15
    assert [model.name for model in models] == ["small"]


@pytest.mark.parametrize("epochs_before", [0, 3])
def test_divergence_says_what_to_change_and_loses_nothing(epochs_before: int) -> None:
    models = Models()
    job = job_of(TrainingConfig(epochs=1000), models=models)
    job._run = DivergesAfter(epochs_before, job)
    job.start()
    view = until(job, at_rest)
    assert view.status is Status.FAILED
    assert "Choose a lower learning rate" in view.message
    assert len(models) == (1 if epochs_before else 0)  # the model of the best epoch before
    assert bool(view.results) == bool(epochs_before)


def test_it_stops_by_itself_at_its_time_limit_and_can_go_on() -> None:
    job = job_of(TrainingConfig(epochs=1000), limit=0.0)
    job.start()
    view = until(job, at_rest)
    assert view.status is Status.STOPPED
    assert view.steps_done == 1
    assert "to let others train" in view.message
    job.start()
    assert until(job, at_rest).steps_done == 2


def test_patience_says_why_it_ended() -> None:
    job = job_of(TrainingConfig(epochs=500, learning_rate=1e-12, patience=2))
    job.start()
    view = until(job, at_rest)
    assert view.status is Status.FINISHED
    assert view.steps_done < 1000
    assert view.message == "Ended early: no better loss for 2 epochs."


def test_train_longer_goes_on_from_the_end() -> None:
    job = job_of(TrainingConfig(epochs=3))
    job.start()
    until(job, at_rest)
    job.train_longer(4)
    view = until(job, at_rest)
    assert [report.step for report in view.reports] == list(range(1, 15))
    assert view.status is Status.FINISHED


def test_train_longer_while_it_trains_changes_nothing() -> None:
    job = job_of(TrainingConfig(epochs=3000))
    job.start()
    until(job, lambda view: view.steps_done > 5)
    job.train_longer(1)
    assert job.view().total_steps == 6000
    job.stop()
    assert until(job, at_rest).status is Status.STOPPED


def test_train_longer_with_a_full_queue_changes_nothing() -> None:
    queue = RunQueue(max_running=1, max_waiting=0)
    job = job_of(TrainingConfig(epochs=2), queue)
    job.start()
    until(job, at_rest)
    job.wait(30)
    queue.enter()
    with pytest.raises(QueueFullError):
        job.train_longer(5)
    assert job.view().total_steps == 4
    assert job.view().status is Status.FINISHED


def test_the_third_of_two_waits_and_sees_its_place() -> None:
    queue = RunQueue(max_running=2, max_waiting=10)
    jobs = [job_of(TrainingConfig(epochs=3000), queue) for _ in range(3)]
    for job in jobs:
        job.start()
    until(jobs[0], lambda view: view.steps_done > 0)
    until(jobs[1], lambda view: view.steps_done > 0)
    waiting = jobs[2].view()
    assert (waiting.status, waiting.place, waiting.steps_done) == (Status.WAITING, 1, 0)
    jobs[0].stop()
    assert until(jobs[2], lambda view: view.steps_done > 0).status is Status.RUNNING
    for job in jobs:
        job.stop()
    assert all(job.wait(60) for job in jobs)


def test_an_abandoned_training_hands_over_nothing() -> None:
    models = Models()
    job = job_of(TrainingConfig(epochs=3000), models=models)
    job.start()
    until(job, lambda view: view.steps_done > 5)
    job.abandon()
    assert job.wait(60)
    assert models == []
