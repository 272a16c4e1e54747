"""The trainer process: it may be killed at any time, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.inference.translator import Translator
from core.presets import CLASSROOM
from core.records.training import LearningSnapshot, TrainingState
from core.server.training_job import TrainingPlan
from core.trainer import client
from core.trainer.client import RemoteTraining, Trainer, TrainerDiedError, TrainerHungError
from core.trainer.messages import Compiling, Failed, News, Reply, Rested
from core.trainer.snapshots import take_snapshot
from core.training.recipe import PreparedTraining, prepare_training
from core.weights import unflatten
from tests.conftest import ROOT

SMALL = CLASSROOM.model.replace(num_layers=1, num_heads=1, d_model=16, d_ff=16)
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows kills in another way")


@pytest.fixture(scope="module")
def trainer() -> Iterator[Trainer]:
    trainer = Trainer()
    yield trainer
    trainer.end()


def prepared(epochs: int = 3, **changes: float) -> PreparedTraining:
    return prepare_training(PAIRS, SMALL, TrainingConfig(epochs=epochs, **changes))  # type: ignore[arg-type]


def begin(trainer: Trainer, prepared: PreparedTraining, saved: TrainingState | None = None) -> RemoteTraining:
    return trainer.train(prepared, TrainingPlan("small", prepared).watched, saved)


def replies_of(training: RemoteTraining) -> list[Reply]:
    """Return all replies of a training that comes to its end."""
    replies: list[Reply] = []
    while not (replies and isinstance(replies[-1], Rested | Failed)):
        reply = training.next_reply()
        assert reply is not None
        replies.append(reply)
    training.stop()
    return replies


def wait_for(is_true: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(pid: int | None) -> bool:
    assert pid is not None
    return subprocess.run(
        ["ps", "-p", str(pid), "-o", "stat="], capture_output=True, text=True
    ).stdout.strip() not in (
        "",
        "Z",
    )


def kill(trainer: Trainer) -> int:
    assert trainer.pid is not None
    pid = trainer.pid
    os.kill(pid, signal.SIGKILL)
    return pid


def state_of(replies: list[Reply]) -> TrainingState:
    end = replies[-1]
    assert isinstance(end, Rested) and end.saved is not None
    return end.saved


def assert_same(first: TrainingState, second: TrainingState) -> None:
    assert np.array_equal(first.parameters, second.parameters)
    assert np.array_equal(first.best_parameters, second.best_parameters)
    assert first.optimizer.keys() == second.optimizer.keys()
    for name, array in first.optimizer.items():
        assert np.array_equal(array, second.optimizer[name]), name
    assert (first.step, first.best_epoch, first.best_loss) == (
        second.step,
        second.best_epoch,
        second.best_loss,
    )
    assert [epoch.loss for epoch in first.epochs] == [epoch.loss for epoch in second.epochs]


@pytest.mark.long
def test_stop_before_the_first_step_costs_none(trainer: Trainer) -> None:
    training = begin(trainer, prepared(2000))
    training.stop()
    assert replies_of(training) == [Rested(None)]


@pytest.mark.long
def test_the_last_moment_of_a_stopped_training_is_that_from_which_it_would_go_on(trainer: Trainer) -> None:
    """Between two moments that were planned, and though an earlier epoch is the best."""
    plan = prepared(2000)
    first = state_of(replies_of(begin(trainer, prepared(1))))
    training = begin(trainer, plan, replace(first, best_epoch=1, best_loss=0.0))
    snapshots: list[LearningSnapshot] = []
    reply: Reply | None = None
    while not isinstance(reply, Rested):
        reply = training.next_reply()
        if isinstance(reply, News):
            snapshots += reply.snapshots
            if reply.reports[-1].step > 100:
                training.stop()
    assert reply.saved is not None
    weights = unflatten(reply.saved.parameters, SMALL)
    translator = Translator(SMALL, weights, plan.source_tokenizer, plan.target_tokenizer)
    expected = take_snapshot(translator, TrainingPlan("small", plan).watched, reply.saved.step)
    assert (snapshots[-1].step, snapshots[-1].translations) == (expected.step, expected.translations)


@needs_signals
@pytest.mark.long
def test_a_stopped_training_continues_bit_for_bit_in_another_process_whenever_the_first_was_killed(
    trainer: Trainer,
) -> None:
    """While it trains and while it imports. What a job makes of it: test_training_job."""
    whole = replies_of(begin(trainer, prepared(40)))
    news = [reply for reply in whole if isinstance(reply, News)]
    assert isinstance(whole[0], Compiling)
    assert [report.step for each in news for report in each.reports] == list(range(1, 81))
    assert [epoch.epoch for each in news for epoch in each.epochs] == list(range(1, 41))

    training = begin(trainer, prepared(40))
    while not isinstance(training.next_reply(), News):
        pass
    training.stop()
    stopped = state_of(replies_of(training))
    assert 0 < stopped.step <= 80  # a busy machine may stop it late
    for until in (News, None):
        training = begin(trainer, prepared(2000))
        while until and not isinstance(training.next_reply(), until):
            pass
        killed = kill(trainer)
        with pytest.raises(TrainerDiedError):
            for _ in range(1000):
                training.next_reply()
        with pytest.raises(TrainerDiedError):
            training.next_reply()  # also when it is asked again
    continued = replies_of(begin(trainer, prepared(40), stopped))
    assert_same(state_of(continued), state_of(whole))
    assert trainer.pid not in (None, killed)


@needs_signals
@pytest.mark.long
def test_a_process_that_hangs_keeps_nobody_waiting_and_is_killed(
    trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer.warm_up()
    hung = trainer.pid
    assert hung is not None
    os.kill(hung, signal.SIGSTOP)
    trainings = [begin(trainer, prepared()) for _ in range(100)]  # more than its input takes
    trainer.warm_up()
    trainer.end(only_if_idle=True)
    monkeypatch.setattr(client, "SILENT_SECONDS", 2.0)
    for training in trainings:
        training.stop()
        with pytest.raises(TrainerHungError):
            training.next_reply()
    monkeypatch.undo()
    assert state_of(replies_of(begin(trainer, prepared()))).step == 6 and trainer.pid != hung


@needs_signals
def test_a_process_that_hangs_is_ended_all_the_same() -> None:
    trainer = Trainer()
    trainer.warm_up()
    hung = trainer.pid
    assert hung is not None
    os.kill(hung, signal.SIGSTOP)
    trainer.end()
    wait_for(lambda: not is_running(hung))


@pytest.mark.long
def test_one_diverges_beside_another_that_does_not(trainer: Trainer) -> None:
    first = state_of(replies_of(begin(trainer, prepared(3))))
    huge = replace(first, parameters=first.parameters * np.float32(1e38))
    diverging, other = begin(trainer, prepared(6), huge), begin(trainer, prepared(6), first)
    assert state_of(replies_of(other)).step == 12
    end = replies_of(diverging)[-1]
    assert isinstance(end, Failed) and "The loss is no longer a number after step 7" in str(end.error)
    assert end.saved is not None and end.saved.best_epoch == first.best_epoch


@needs_signals
@pytest.mark.long
def test_it_ends_when_nobody_trains_but_not_before() -> None:
    trainer = Trainer(idle_seconds=0.3)
    assert state_of(replies_of(begin(trainer, prepared(50)))).step == 100  # longer than that
    pid = trainer.pid
    wait_for(lambda: trainer.pid is None)
    wait_for(lambda: not is_running(pid))


SERVER = """
import signal, sys, time
from core.trainer.client import Trainer
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
trainer = Trainer()
trainer.warm_up()
print(trainer.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
@needs_signals
def test_ctrl_c_in_the_terminal_ends_both() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        trainer = int(server.stdout.readline())
        assert is_running(trainer)
        os.kill(trainer, signal.SIGINT)  # which every process of a terminal gets
        server.send_signal(signal.SIGINT)
        wait_for(lambda: not is_running(trainer))  # the server would sleep on


@pytest.mark.slow
def test_longer_training_keeps_the_best_epoch_so_far(trainer: Trainer) -> None:
    first = state_of(replies_of(begin(trainer, prepared(2))))
    unbeatable = replace(first, patience_start=2, best_epoch=1, best_loss=0.0)
    replies = list(replies_of(begin(trainer, prepared(5), unbeatable)))
    told = [epoch.epoch for reply in replies if isinstance(reply, News) for epoch in reply.epochs]
    assert told == [3, 4, 5], "those before are known"
    longer = state_of(replies)
    assert (longer.step, longer.patience_start, longer.best_epoch, longer.best_loss) == (10, 2, 1, 0.0)
    assert np.array_equal(longer.best_parameters, first.best_parameters)
