from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import pytest

from core.classroom.job import AfterTurn, Status, WorkerJob
from core.classroom.queue import QueueFullError, RunQueue

SORRY = "It failed on the server."


class Job(WorkerJob):
    """Does what it is told.

    Args:
        work: called with the event that stops it.
        queue: of one job at a time.
    """

    def __init__(self, work: Callable[[threading.Event], AfterTurn | None], queue: RunQueue) -> None:
        super().__init__(queue, 60, SORRY)
        self._work_of_mine = work

    @property
    def status(self) -> Status:
        return self._status

    @property
    def message(self) -> str:
        return self._message

    def _do(self, stop: threading.Event) -> AfterTurn | None:
        after = self._work_of_mine(stop)
        self._set(Status.STOPPED if stop.is_set() else Status.FINISHED)
        return after


class FailsTwice(Job):
    """What it does about an error fails as well."""

    def _fail(self, message: str) -> None:
        raise OSError(message)


def raising(error: Exception) -> Callable[[threading.Event], None]:
    def work(stop: threading.Event) -> None:
        raise error

    return work


def done(stop: threading.Event) -> None:
    """No work at all."""


@pytest.fixture
def queue() -> RunQueue:
    return RunQueue(1, 0)


def test_it_works_once_and_rests(queue: RunQueue) -> None:
    job = Job(done, queue)
    before = job.active  # it is to begin
    job.start()
    assert job.wait(10)
    assert job.status is Status.FINISHED
    assert (before, job.active) == (True, False)
    queue.leave(queue.enter())  # its place is free


def test_what_people_can_change_is_said(queue: RunQueue) -> None:
    job = Job(raising(ValueError("Take fewer layers.")), queue)
    job.start()
    assert job.wait(10)
    assert (job.status, job.message) == (Status.FAILED, "Take fewer layers.")


@pytest.mark.parametrize("error", [ZeroDivisionError("division by zero"), OSError("/secret/path")])
def test_what_nobody_can_change_is_logged_and_not_shown(
    queue: RunQueue, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    job = Job(raising(error), queue)
    with caplog.at_level(logging.ERROR):
        job.start()
        assert job.wait(10)
    assert (job.status, job.message) == (Status.FAILED, SORRY)
    assert str(error) in caplog.text
    queue.leave(queue.enter())


def test_an_error_about_an_error_leaves_nothing_running(queue: RunQueue) -> None:
    job = FailsTwice(raising(ValueError("first")), queue)
    job.start()
    assert job.wait(10)
    assert (job.status, job.message) == (Status.FAILED, SORRY)
    queue.leave(queue.enter())


def test_stopped_before_it_began(queue: RunQueue) -> None:
    job = Job(done, queue)
    job.stop()
    job.start()
    assert job.wait(10)
    assert job.status is Status.STOPPED


def test_it_goes_on_after_a_stop(queue: RunQueue) -> None:
    begun = threading.Event()

    def until_stopped(stop: threading.Event) -> None:
        begun.set()
        assert stop.wait(10)

    job = Job(until_stopped, queue)
    for _ in range(2):
        begun.clear()
        job.start()
        job.start()  # pressed twice
        assert begun.wait(10)
        assert not job.stopping
        job.stop()
        assert job.wait(10)
        assert job.status is Status.STOPPED


@pytest.mark.parametrize("earlier_runs", [0, 1])
def test_a_thread_that_cannot_start_costs_no_place(
    queue: RunQueue, monkeypatch: pytest.MonkeyPatch, earlier_runs: int
) -> None:
    job = Job(done, queue)
    for _ in range(earlier_runs):
        job.start()
        assert job.wait(10)

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(QueueFullError, match="too busy"):
            job.start()
    assert job.wait(10)
    assert job.status is Status.STOPPED
    job.start()  # there is room again
    assert job.wait(10)
    assert job.status is Status.FINISHED


def test_what_is_left_to_do_is_in_nobodys_way(queue: RunQueue) -> None:
    free = []

    def after_turn() -> None:
        ticket = queue.enter()
        free.append(queue.place(ticket) == 0)
        queue.leave(ticket)

    job = Job(lambda stop: after_turn, queue)
    job.start()
    assert job.wait(10)
    assert free == [True]
