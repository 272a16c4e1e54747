import logging
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.errors import RefusedError
from core.language import Language, _, reading
from core.server.jobs import Job, Outcome, Progress, Status, Work
from core.server.queue import Gate as ComputeGate
from core.server.queue import JobQueue
from tests.conftest import numbers

SORRY = "It failed on the server."
PATIENCE = 120  # seconds; machines that run tests are busy


class Scripted(Work[Progress]):
    """Does what it is told in each step; its outcome is finished when all are done.

    Args:
        steps: what to do.
        prepare: what to do before the first step, between two things that it says.
        rescue_fails: whether it also fails to save what is done.
    """

    failure_message = SORRY
    time_message = "Stopped after {time}."

    def __init__(
        self, *steps: Callable[[], object], prepare: Callable[[], object] = bool, rescue_fails: bool = False
    ) -> None:
        self.progress = Progress(0, len(steps))
        self.finishes = 0
        self._steps = steps
        self._prepare = prepare
        self._rescue_fails = rescue_fails

    def steps(self) -> Generator[str | None]:
        yield "Reading."
        self._prepare()
        yield "Beginning."
        for step in self._steps[self.progress.done :]:
            step()
            self.progress = replace(self.progress, done=self.progress.done + 1)
            yield None

    def finish(self) -> Outcome:
        self.finishes += 1
        return Outcome(self.progress.done == self.progress.total)

    def on_error(self, message: str) -> str:
        if self._rescue_fails:
            raise OSError(message)
        return message


def job_of(work: Scripted, queue: JobQueue | None, time_limit: float = 60) -> Job[Scripted, Progress]:
    return Job(work, time_limit, queue)


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
        assert self._let.acquire(timeout=PATIENCE)

    def let(self) -> None:
        self._let.release()


@pytest.fixture
def queue() -> JobQueue:
    return JobQueue(1, 0)


def test_it_works_once_and_rests(queue: JobQueue) -> None:
    job = job_of(Scripted(done, done), queue)
    assert (job.state().status, job.active, job.wait(0)) == (Status.NEW, False, True)
    assert job.start().wait(PATIENCE)
    state = job.state()
    assert (state.status, state.message) == (Status.FINISHED, "")
    assert (state.progress.done, state.progress.total) == (2, 2)
    assert not job.active
    queue.leave(queue.enter())  # its place is free


@pytest.mark.parametrize(
    ("error", "rescue_fails", "message"),
    [
        (ValueError("Take fewer layers."), False, "Take fewer layers."),  # an error of the visitor is shown
        (OSError("/secret/path"), False, SORRY),  # an error of the server is logged, not shown
        (ValueError("Take fewer layers."), True, SORRY),
    ],
)
def test_an_error_leaves_nothing_running(
    queue: JobQueue, error: Exception, rescue_fails: bool, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    job = job_of(Scripted(done, raising(error), rescue_fails=rescue_fails), queue)
    with caplog.at_level(logging.ERROR):
        assert job.start().wait(PATIENCE)
    assert (job.state().status, job.state().message, job.work.finishes) == (Status.FAILED, message, 0)
    assert (str(error) in caplog.text) is (message == SORRY)
    queue.leave(queue.enter())


def test_it_speaks_the_language_of_whoever_has_started_it() -> None:
    french = Language("fr", "Français", {SORRY: "Échec sur le serveur.", "Beginning.": "Début."})
    said: list[str] = []
    job = job_of(Scripted(lambda: said.append(_("Beginning.")), raising(OSError())), None)
    with reading(french):
        job.start()
    assert job.wait(PATIENCE)
    assert [*said, job.state().message] == ["Début.", "Échec sur le serveur."]


def test_it_goes_on_after_a_stop(queue: JobQueue) -> None:
    gates = [Gate() for _ in range(3)]
    job = job_of(Scripted(*gates), queue)
    for number, gate in enumerate(gates[:2], start=1):
        job.start()
        job.start()  # pressed twice
        assert gate.began.acquire(timeout=PATIENCE)
        assert not job.stopping
        job.stop()
        gate.let()  # what is under way is the last
        assert job.wait(PATIENCE)
        assert (job.state().status, job.state().progress.done) == (Status.STOPPED, number)
    gates[2].let()
    job.start()
    assert job.wait(PATIENCE)
    assert (job.state().status, job.work.finishes) == (Status.FINISHED, 3)


def test_stop_while_it_prepares_makes_nothing(queue: JobQueue) -> None:
    gate, said = Gate(), []
    job = job_of(Scripted(lambda: said.append("went on"), prepare=gate), queue).start()
    assert gate.began.acquire(timeout=PATIENCE)
    assert (job.state().status, job.state().preparing) == (Status.STARTING, "Reading.")
    job.stop()
    gate.let()
    assert job.wait(PATIENCE)
    assert (job.state().status, said, job.work.finishes) == (Status.STOPPED, [], 0)


def test_its_time_ends_after_a_step_that_it_may_go_on_from(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first step of each start takes as long as it likes, since it may compile: it counts for nothing."""
    clock = 0.0
    seen: list[tuple[Status, float | None]] = []

    def step() -> None:
        nonlocal clock
        seen.append((job.state().status, job.state().seconds_left))
        clock += 4

    monkeypatch.setattr("core.server.jobs.time", SimpleNamespace(monotonic=lambda: clock))
    job = job_of(Scripted(*[step] * 9), queue, 10)
    for number, seconds in ((4, 12), (8, 24)):
        job.start()
        assert job.wait(PATIENCE)
        state = job.state()
        assert (state.status, state.progress.done, state.seconds) == (Status.STOPPED, number, seconds)
        assert numbers(state.message) == ["10"]
    job.start()
    assert job.wait(PATIENCE)
    assert (job.state().status, job.state().message, job.work.finishes) == (Status.FINISHED, "", 3)
    expected = [None, None, 28, 24, None, None, 12, 8, None]  # seconds left, of 4 for each step
    assert seen == [(Status.RUNNING if n % 4 else Status.STARTING, left) for n, left in enumerate(expected)]


def test_nobody_waits_longer_than_the_others_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scripted, "expected_seconds", lambda self: 1000.0)
    queue, gate = JobQueue(1, 1), Gate()
    first = job_of(Scripted(gate), queue, 10).start()
    second = job_of(Scripted(done), queue).start()
    assert second.state().seconds_to_wait == 10
    gate.let()
    assert first.wait(PATIENCE) and second.wait(PATIENCE)


# Queues


def test_two_run_and_the_third_waits_its_turn() -> None:
    queue = JobQueue(max_running=2, max_waiting=5)
    first, second, third, fourth = (queue.enter() for _ in range(4))
    assert [queue.place(ticket) for ticket in (first, second, third, fourth)] == [0, 0, 1, 2]
    entered = threading.Event()

    def wait() -> None:
        with queue.turn(third, threading.Event()) as mine:
            assert mine
            entered.set()

    thread = threading.Thread(target=wait)
    thread.start()
    assert not entered.wait(0.3)
    queue.leave(second)
    assert entered.wait(PATIENCE)
    thread.join()
    assert queue.place(fourth) == 0  # third has left the queue


def test_a_full_queue_refuses_jobs_until_one_stops_waiting() -> None:
    queue = JobQueue(max_running=1, max_waiting=2)
    queue.enter()
    waiting, behind = queue.enter(), queue.enter()
    with pytest.raises(RefusedError):
        queue.enter()
    stop = threading.Event()
    stop.set()
    with queue.turn(waiting, stop) as mine:
        assert not mine
    assert queue.place(behind) == 1
    assert queue.place(queue.enter()) == 2


def test_what_the_jobs_before_it_have_left_tells_how_long_one_will_wait() -> None:
    queue = JobQueue(max_running=2, max_waiting=5)
    for seconds in (100.0, 5.0):
        queue.enter(lambda seconds=seconds: seconds)  # type: ignore[misc]
    third = queue.enter(lambda: 20.0)
    fourth = queue.enter()
    assert queue.seconds_to_wait(third) == 5
    assert queue.seconds_to_wait(fourth) == 25  # behind the third
    assert queue.seconds_to_wait(queue.enter()) is None  # the fourth does not know


def test_places_are_given_in_the_order_of_coming() -> None:
    gate, order = ComputeGate(1), []

    def take(number: int) -> None:
        with gate:
            order.append(number)

    with ThreadPoolExecutor(8) as threads, gate:
        for number in range(8):
            threads.submit(take, number)
            while gate._next_ticket < number + 2:  # until it has come
                time.sleep(0.001)
        assert order == []
    assert order == list(range(8))


def test_no_more_compute_than_there_are_places() -> None:
    gate, here, most = ComputeGate(2), [], []

    def compute() -> None:
        for _ in range(20):
            with suppress(ValueError), gate:  # an error leaves the place, too
                here.append(1)
                most.append(len(here))
                time.sleep(0.001)
                here.pop()
                raise ValueError

    with ThreadPoolExecutor(6) as threads:
        for _ in range(6):
            threads.submit(compute)
    assert (max(most), len(most)) == (2, 120)
