from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator

import pytest

from core.classroom.evaluation_job import EvaluationPlan, EvaluationWork
from core.classroom.jobs import Job, Outcome, Progress, Status, Work
from core.classroom.queue import JobQueue
from core.config import DecodingConfig

SORRY = "It failed on the server."


class Scripted(Work[Progress]):
    """Does what it is told in each step; its outcome is finished when all are done.

    Args:
        steps: what to do, each called with how to report.
        rescue_fails: whether it also fails to save what is done.
    """

    failure_message = SORRY

    def __init__(
        self,
        *steps: Callable[[], object],
        prepare: Callable[[Callable[[str], None]], object] = lambda report: None,
        rescue_fails: bool = False,
    ) -> None:
        self._steps = steps
        self._prepare = prepare
        self._rescue_fails = rescue_fails
        self._done = 0
        self.finishes = 0

    def progress(self) -> Progress:
        return Progress(self._done, len(self._steps))

    def steps(self, report: Callable[[str], None]) -> Generator[None]:
        self._prepare(report)
        for step in self._steps[self._done :]:
            step()
            self._done += 1
            yield

    def finish(self) -> Outcome:
        self.finishes += 1
        return Outcome(self._done == len(self._steps))

    def on_error(self, message: str) -> str:
        if self._rescue_fails:
            raise OSError(message)
        return message

    def time_limit_message(self, seconds: float) -> str:
        return f"Stopped after {seconds:.0f} s."


def job_of(work: Scripted, queue: JobQueue, time_limit: float = 60) -> Job[Scripted, Progress]:
    return Job(work, queue, time_limit)


def raising(error: Exception) -> Callable[[], None]:
    def step() -> None:
        raise error

    return step


def done() -> None:
    """A step without work."""


class Gate:
    """A step that waits until it is let."""

    def __init__(self) -> None:
        self.began = threading.Semaphore(0)
        self._let = threading.Semaphore(0)

    def __call__(self) -> None:
        self.began.release()
        assert self._let.acquire(timeout=30)

    def let(self) -> None:
        self._let.release()


@pytest.fixture
def queue() -> JobQueue:
    return JobQueue(1, 0)


def test_it_works_once_and_rests(queue: JobQueue) -> None:
    job = job_of(Scripted(done, done), queue)
    job.start()
    assert job.wait(10)
    view = job.view()
    assert (view.status, view.done, view.total, view.message) == (Status.FINISHED, 2, 2, "")
    assert not job.active
    queue.leave(queue.enter())  # its place is free


def test_it_is_not_active_before_its_first_start(queue: JobQueue) -> None:
    job = job_of(Scripted(done), queue)
    assert job.view().status is Status.NEW
    assert not job.active and not job.view().active
    assert job.wait(0)


def test_what_people_can_change_is_said(queue: JobQueue) -> None:
    job = job_of(Scripted(done, raising(ValueError("Take fewer layers."))), queue)
    job.start()
    assert job.wait(10)
    assert (job.view().status, job.view().message) == (Status.FAILED, "Take fewer layers.")
    assert job.work.finishes == 0


@pytest.mark.parametrize("error", [ZeroDivisionError("division by zero"), OSError("/secret/path")])
def test_what_nobody_can_change_is_logged_and_not_shown(
    queue: JobQueue, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    job = job_of(Scripted(raising(error)), queue)
    with caplog.at_level(logging.ERROR):
        job.start()
        assert job.wait(10)
    assert (job.view().status, job.view().message) == (Status.FAILED, SORRY)
    assert str(error) in caplog.text
    queue.leave(queue.enter())


def test_an_error_about_an_error_leaves_nothing_running(queue: JobQueue) -> None:
    job = job_of(Scripted(raising(ValueError("first")), rescue_fails=True), queue)
    job.start()
    assert job.wait(10)
    assert (job.view().status, job.view().message) == (Status.FAILED, SORRY)
    queue.leave(queue.enter())


def test_stopped_before_it_began(queue: JobQueue) -> None:
    job = job_of(Scripted(done), queue)
    job.stop()
    job.start()
    assert job.wait(10)
    assert (job.view().status, job.view().done, job.work.finishes) == (Status.STOPPED, 0, 0)


def test_it_goes_on_after_a_stop(queue: JobQueue) -> None:
    gates = [Gate() for _ in range(3)]
    job = job_of(Scripted(*gates), queue)
    for number, gate in enumerate(gates[:2], start=1):
        job.start()
        job.start()  # pressed twice
        assert gate.began.acquire(timeout=10)
        assert not job.stopping
        job.stop()
        gate.let()  # what is under way is the last
        assert job.wait(10)
        assert (job.view().status, job.view().done) == (Status.STOPPED, number)
    gates[2].let()
    job.start()
    assert job.wait(10)
    assert (job.view().status, job.work.finishes) == (Status.FINISHED, 3)


def test_stop_while_it_prepares_makes_nothing(queue: JobQueue) -> None:
    gate, said = Gate(), []

    def prepare(report: Callable[[str], None]) -> None:
        report("Reading.")
        gate()
        report("Progressing.")
        said.append("went on")

    job = job_of(Scripted(done, prepare=prepare), queue)
    job.start()
    assert gate.began.acquire(timeout=10)
    assert (job.view().status, job.view().preparing) == (Status.STARTING, "Reading.")
    job.stop()
    gate.let()
    assert job.wait(10)
    assert (job.view().status, said, job.work.finishes) == (Status.STOPPED, [], 0)


def test_its_time_ends_after_a_step_that_it_may_go_on_from(queue: JobQueue) -> None:
    job = job_of(Scripted(*[done] * 5), queue, time_limit=0.0)
    for number in (2, 4):  # the first step of each start takes as long as it likes: it may compile
        job.start()
        assert job.wait(10)
        view = job.view()
        assert (view.status, view.done, view.message) == (Status.STOPPED, number, "Stopped after 0 s.")
    job.start()
    assert job.wait(10)
    assert (job.view().status, job.view().message) == (Status.FINISHED, "")


def test_the_time_left_is_known_after_the_second_step(queue: JobQueue) -> None:
    gates = [Gate() for _ in range(4)]
    job = job_of(Scripted(*gates), queue)
    job.start()
    known = []
    for gate in gates:
        assert gate.began.acquire(timeout=10)
        known.append(job.view().seconds_left is not None)
        gate.let()
    assert job.wait(10)
    assert known == [False, False, True, True]  # the first step compiles, and says nothing of the others
    assert job.view().seconds > 0


def test_an_evaluation_says_why_it_ended_early() -> None:
    plan = EvaluationPlan(None, "", "", list, DecodingConfig())  # type: ignore[arg-type]
    work = EvaluationWork(plan, lambda result: None)
    assert work.time_limit_message(20) == "Stopped after 20 s, to let others evaluate."
