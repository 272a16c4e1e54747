from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.classroom.jobs import JobView, Status
from core.classroom.models import TrainedModel
from core.classroom.queue import JobQueue
from core.classroom.training_job import (
    FilmMoment,
    TrainingJob,
    TrainingPlan,
    TrainingProgress,
    TrainingWork,
    thinned,
)
from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records import StepReport
from core.training.loop import TrainingRun
from core.training.recipe import PreparedTraining, prepare_word_training
from core.training.step import TrainingState
from core.weights import Weights
from tests.figures.records import even_record

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint


View = JobView[TrainingProgress]
SMALL = CLASSROOM.model.replace(num_layers=1, num_heads=1, d_model=16, d_ff=16)


class Models(list[TrainedModel]):
    """Keeps what jobs hand over."""

    def keep(self, work: TrainingWork, model: TrainedModel) -> None:
        self.append(model)


class DivergesAfter(TrainingRun):
    """A run whose weights become infinite by themselves after some epochs."""

    def __init__(self, epochs: int, prepared: PreparedTraining) -> None:
        super().__init__(prepared.model, prepared.training, prepared.encoded)
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


@dataclass(frozen=True)
class Diverging(PreparedTraining):
    """Prepares such runs."""

    after: int = 0  # epochs

    def new_run(self, weights: Weights | None = None, strategy: Any = None) -> TrainingRun:
        return DivergesAfter(self.after, self)


def job_of(
    training: TrainingConfig,
    queue: JobQueue | None = None,
    limit: float = 600,
    models: Models | None = None,
    prepared: PreparedTraining | None = None,
) -> TrainingJob:
    plan = TrainingPlan("small", prepared or prepare_word_training(PAIRS, SMALL, training))
    kept = Models() if models is None else models
    return TrainingJob(TrainingWork(plan, kept.keep), queue or JobQueue(2, 10), limit)


def until(job: TrainingJob, condition: Callable[[View], bool], seconds: float = 300) -> View:
    deadline = time.monotonic() + seconds
    while not condition(view := job.view()):
        assert time.monotonic() < deadline, view
        time.sleep(0.02)
    return view


def longer(job: TrainingJob, epochs: int) -> None:
    job.work.train_longer(epochs)
    job.start()


def at_rest(view: View) -> bool:
    return not view.active


@pytest.mark.slow
def test_a_finished_training_hands_over_its_model_once() -> None:
    models = Models()
    job = job_of(TrainingConfig(epochs=5), models=models)
    job.start()
    job.start()  # pressed twice
    view = until(job, at_rest)
    assert view.status is Status.FINISHED
    assert view.done == view.total == 10
    assert len(view.progress.results) == 15
    assert [model.name for model in models] == ["small"]


@pytest.mark.slow
@pytest.mark.parametrize("epochs_before", [0, 3])
def test_divergence_says_what_to_change_and_loses_nothing(epochs_before: int) -> None:
    models = Models()
    training = TrainingConfig(epochs=1000)
    prepared = prepare_word_training(PAIRS, SMALL, training)
    diverging = Diverging(**vars(prepared), after=epochs_before)
    job = job_of(training, models=models, prepared=diverging)
    job.start()
    view = until(job, at_rest)
    assert view.status is Status.FAILED
    assert "Choose a lower learning rate" in view.message
    assert len(models) == (1 if epochs_before else 0)  # the model of the best epoch before
    assert bool(view.progress.results) == bool(epochs_before)


def test_it_stops_by_itself_at_its_time_limit_and_can_go_on() -> None:
    job = job_of(TrainingConfig(epochs=1000), limit=0.0)
    job.start()
    view = until(job, at_rest)
    assert view.status is Status.STOPPED
    assert view.done == 2
    assert "to let others train" in view.message
    job.start()
    assert until(job, at_rest).done == 4


def test_patience_says_why_it_ended() -> None:
    job = job_of(TrainingConfig(epochs=500, learning_rate=1e-12, patience=2))
    job.start()
    view = until(job, at_rest)
    assert view.status is Status.FINISHED
    assert view.done < 1000
    assert view.message == "Stopped early (patience): no better validation loss for 2 epochs."


def test_train_longer_goes_on_from_the_end() -> None:
    job = job_of(TrainingConfig(epochs=3))
    job.start()
    until(job, at_rest)
    longer(job, 4)
    view = until(job, at_rest)
    assert [report.step for report in view.progress.reports] == list(range(1, 15))
    assert view.status is Status.FINISHED


def test_the_third_of_two_waits_and_sees_its_place() -> None:
    queue = JobQueue(max_running=2, max_waiting=10)
    jobs = [job_of(TrainingConfig(epochs=3000), queue) for _ in range(3)]
    for job in jobs:
        job.start()
    until(jobs[0], lambda view: view.done > 0)
    until(jobs[1], lambda view: view.done > 0)
    waiting = jobs[2].view()
    assert (waiting.status, waiting.place, waiting.done) == (Status.WAITING, 1, 0)
    jobs[0].stop()
    assert until(jobs[2], lambda view: view.done > 0).status is Status.RUNNING
    for job in jobs:
        job.stop()
    assert all(job.wait(60) for job in jobs)


def test_stop_before_the_first_step_makes_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    models = Models()
    job = job_of(TrainingConfig(epochs=5), models=models)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr("core.classroom.training_job.load_tensorflow", job.stop)
        job.start()
        assert job.wait(60)
    assert (job.view().status, job.view().done, models) == (Status.STOPPED, 0, [])
    job.start()
    assert job.wait(60)
    assert job.view().status is Status.FINISHED


def moment(number: int) -> FilmMoment:
    return FilmMoment(number, (even_record(4, 4),))


def test_beyond_the_limit_every_second_moment_goes() -> None:
    film: tuple[FilmMoment, ...] = ()
    for number in range(20):
        film = thinned((*film, moment(number)), 4 * moment(0).bytes)
        assert sum(each.bytes for each in film) <= 4 * moment(0).bytes
        if number == 4:
            assert [each.moment for each in film] == [0, 2, 4]
    assert (film[0].moment, film[-1].moment) == (0, 19)


def test_nothing_is_kept_of_what_does_not_fit_twice() -> None:
    assert thinned((moment(0),), 2 * moment(0).bytes - 1) == ()


def test_attention_over_references_is_that_of_each_alone(checkpoint: Checkpoint) -> None:
    from core.interpretability.teacher_forcing import forced_attention

    translator = checkpoint.translator()
    together = forced_attention(translator, PAIRS[:4])
    assert [len(each.source_tokens) for each in together] == [len(pair.source.split()) for pair in PAIRS[:4]]
    for pair, record in zip(PAIRS[:4], together, strict=True):
        (alone,) = forced_attention(translator, [pair])
        assert record.predicted_tokens == (*pair.target.split(), "[END]")
        np.testing.assert_allclose(record.cross, alone.cross, atol=1e-5)
        np.testing.assert_allclose(record.encoder, alone.encoder, atol=1e-5)


ROOT = Path(__file__).parents[2]

PROGRAM = """
import os, sys

class AtItsImport:  # when TensorFlow reads it; the import itself would take seconds
    def find_spec(self, name, path=None, target=None):
        if name == "tensorflow":
            print(os.environ["TF_NUM_INTRAOP_THREADS"], flush=True)
            os._exit(0)

sys.meta_path.insert(0, AtItsImport())
from core.classroom.training_job import load_tensorflow
load_tensorflow()
"""


@pytest.mark.parametrize(("set_by_hand", "expected"), [(None, "1"), ("4", "4")])
def test_a_server_multiplies_each_matrix_on_one_core(set_by_hand: str | None, expected: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TF_NUM_INTRAOP_THREADS"}
    if set_by_hand is not None:
        environment["TF_NUM_INTRAOP_THREADS"] = set_by_hand
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [expected]
