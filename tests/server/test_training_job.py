import os
import signal
import sys
import time
from types import SimpleNamespace

import pytest

from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.language import _
from core.language_model.training import prepare_texts
from core.presets import CLASSROOM
from core.server import training_job
from core.server.jobs import Status
from core.server.trained_model import TrainedModel
from core.server.training_job import _HUNG, TrainingJob, TrainingPlan, TrainingWork, server_trainer
from core.server.workspace import Workspace
from core.trainer import client
from core.trainer.client import TrainerHungError
from core.trainer.messages import News, Reply
from core.training.recipe import prepare_training
from tests.conftest import numbers

SMALL = CLASSROOM.model.replace(num_layers=1, num_heads=1, d_model=16, d_ff=16)


def work_of(training: TrainingConfig, models: list[TrainedModel]) -> TrainingWork:
    plan = TrainingPlan("small", prepare_training(PAIRS, SMALL, training))
    return TrainingWork(plan, lambda work, model: models.append(model))


def trained(training: TrainingConfig) -> tuple[TrainingJob, list[TrainedModel]]:
    """Return a job that has ended, and what it handed over."""
    models: list[TrainedModel] = []
    job = TrainingJob(work_of(training, models), 600).start()
    assert job.wait(300)
    return job, models


@pytest.mark.long
def test_a_training_hands_over_its_model_each_time_it_comes_to_rest() -> None:
    """With what was watched from the untrained model to the end; the best epoch's where it diverges."""
    # No epoch has ended.
    assert work_of(TrainingConfig(epochs=3), []).on_error("It diverged.") == "It diverged."
    job, models = trained(TrainingConfig(epochs=3))
    state = job.state()
    assert (state.status, state.progress.done, state.progress.total) == (Status.FINISHED, 6, 6)
    assert len(state.progress.results) == 15
    assert [model.name for model in models] == ["small"]
    snapshots = state.progress.snapshots
    assert (snapshots[0].step, snapshots[-1].step) == (0, 6)
    best = min(state.progress.epochs, key=lambda epoch: epoch.loss).epoch
    said = job.work.on_error("It diverged.")
    assert said.startswith("It diverged. ") and numbers(said) == [str(best)], "whose model is kept"
    job.work.train_longer(4)
    assert job.start().wait(300)
    state = job.state()
    assert [report.step for report in state.progress.reports] == list(range(1, 15))
    assert (state.status, len(models)) == (Status.FINISHED, 3)
    assert state.progress.snapshots[-1].step == 14
    assert state.progress.snapshots[: len(snapshots)] == snapshots


@pytest.mark.long
def test_a_decoder_alone_is_trained_like_a_translator_and_is_none() -> None:
    """It can be continued too; the tab's translators stay what they were."""
    workspace = Workspace()
    plan = TrainingPlan("alone", prepare_texts(PAIRS, SMALL, TrainingConfig(epochs=3)))
    job = workspace.jobs.start_text_training(plan)
    assert job is not None and job.wait(300)
    state = job.state()
    assert (state.status, state.progress.done) == (Status.FINISHED, 6)
    assert len(state.progress.results) == 15 and len(state.progress.epochs) == 3
    assert state.progress.snapshots[-1].cross[0].any(axis=-1).all()
    first = workspace.models.language_model
    assert first is not None and first.pairs == PAIRS
    job.work.train_longer(2)
    assert job.start().wait(300)
    assert job.state().progress.done == 10 and workspace.models.language_model is not first
    assert not workspace.models.kept and workspace.models.selected is workspace.models.trained is None


def test_patience_says_why_it_ended() -> None:
    state = trained(TrainingConfig(epochs=500, learning_rate=1e-12, patience=2))[0].state()
    assert state.status is Status.FINISHED and state.progress.done < 1000
    assert numbers(state.message) == ["2"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows kills in another way")
def test_a_training_whose_process_is_killed_is_continued() -> None:
    models: list[TrainedModel] = []
    job = TrainingJob(work_of(TrainingConfig(epochs=600), models), 600).start()
    while job.work.kept_step == 0:
        time.sleep(0.05)
    pid = server_trainer().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert job.wait(60)
    state = job.state()
    assert state.status is Status.STOPPED and state.message
    assert len(models) == 1 and state.progress.results
    kept = job.work.kept_step
    assert job.start().wait(300)
    state = job.state()
    assert (state.status, state.progress.done) == (Status.FINISHED, 1200)
    assert [epoch.epoch for epoch in state.progress.epochs] == list(range(1, 601))
    steps = [snapshot.step for snapshot in state.progress.snapshots]
    assert steps == sorted(set(steps)) and 0 < kept < 1200


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops in another way")
def test_a_training_whose_process_hangs_says_so_and_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that has been told to stop. Then it can be continued, as one whose process was killed."""
    models: list[TrainedModel] = []
    jobs = [TrainingJob(work_of(TrainingConfig(epochs=2000), models), 600).start() for _number in range(2)]
    while any(job.work.kept_step == 0 for job in jobs):
        time.sleep(0.05)
    pid = server_trainer().pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    jobs[1].stop()
    monkeypatch.setattr(client, "SILENT_SECONDS", 2.0)
    for job in jobs:
        assert job.wait(300)
        state = job.state()
        assert state.status is Status.STOPPED and state.message.startswith(_(_HUNG))
        assert 0 < job.work.kept_step == state.progress.done
    assert len(models) == 2


def test_a_training_that_does_not_answer_in_a_process_that_lives_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Deadlocked:
        is_stopped = False
        is_given_up = False

        def next_reply(self, timeout: float = 0.0) -> Reply | None:
            if self.is_given_up:
                raise TrainerHungError
            return None if self.is_stopped else News()

        def stop(self) -> None:
            self.is_stopped = True

        def give_up(self) -> None:
            self.is_given_up = True

    training = Deadlocked()
    monkeypatch.setattr(training_job, "server_trainer", lambda: SimpleNamespace(train=lambda *_: training))
    job = TrainingJob(work_of(TrainingConfig(epochs=3), []), 600).start()
    while job.state().status is not Status.RUNNING:
        time.sleep(0.01)
    job.stop()
    assert job.wait(60) and training.is_given_up
    assert job.state().message.startswith(_(_HUNG))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows kills in another way")
def test_killed_before_its_first_step_a_training_says_what_to_do() -> None:
    server_trainer().end()
    job = TrainingJob(work_of(TrainingConfig(epochs=3), []), 600).start()
    while (pid := server_trainer().pid) is None:
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    assert job.wait(60)
    assert job.state().status is Status.FAILED and job.state().message
