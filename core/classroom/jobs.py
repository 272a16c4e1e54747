"""Long work in a thread of its own: it waits for its turn in a queue, does its steps, can be stopped and goes on."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, Generic, Self, TypeVar

from core.inference.translator import num_cores

_WEIGHT_OF_LAST = 0.2  # of the last turn, in what is expected of the next
_log = logging.getLogger(__name__)


class QueueFullError(RuntimeError):
    """Too many jobs wait already; the message is for people."""


class Ticket:
    """A place in the queue."""


class JobQueue:
    """Lets a few long jobs run at a time; the others wait in the order they came.

    Args:
        max_running: jobs at a time.
        max_waiting: jobs that may wait.
        doing: what the jobs' people are doing, for the message that there are too many.
    """

    def __init__(self, max_running: int, max_waiting: int, doing: str = "training") -> None:
        self._doing = doing
        self._max_running = max_running
        self._max_waiting = max_waiting
        self._tickets: list[Ticket] = []  # the running ones first, then those that wait
        self._usual_seconds: float | None = None  # of a turn, lately
        self._changed = threading.Condition()

    def enter(self) -> Ticket:
        """Take a ticket.

        Raises:
            QueueFullError: too many wait.
        """
        with self._changed:
            if len(self._tickets) >= self._max_running + self._max_waiting:
                raise QueueFullError(f"Too many people are {self._doing} right now. Try again in a minute.")
            ticket = Ticket()
            self._tickets.append(ticket)
            return ticket

    def leave(self, ticket: Ticket) -> None:
        """Give a ticket back, running or waiting."""
        with self._changed:
            if ticket in self._tickets:
                self._tickets.remove(ticket)
            self._changed.notify_all()

    def place(self, ticket: Ticket) -> int:
        """How many must finish before this ticket's turn; 0 during its turn."""
        with self._changed:
            if ticket not in self._tickets:
                return 0
            return max(0, self._tickets.index(ticket) - self._max_running + 1)

    @contextmanager
    def turn(self, ticket: Ticket, stop: threading.Event) -> Iterator[bool]:
        """Wait for the ticket's turn and hold it; gives False where `stop` was set before it came."""
        try:
            with self._changed:
                while self.place(ticket) > 0 and not stop.is_set():
                    self._changed.wait(timeout=0.2)
            has_turn, started = not stop.is_set(), time.monotonic()
            yield has_turn
            if has_turn:
                took = time.monotonic() - started
                with self._changed:
                    usual = took if self._usual_seconds is None else self._usual_seconds
                    self._usual_seconds = usual + _WEIGHT_OF_LAST * (took - usual)
        finally:
            self.leave(ticket)

    def seconds_to_wait(self, place: int) -> float | None:
        """How long somebody at a place will wait, if turns take what they took lately; None while unknown."""
        with self._changed:
            return None if self._usual_seconds is None else self._usual_seconds * place / self._max_running


class Status(Enum):
    """The states of a job."""

    NEW = "new"  # never started
    WAITING = "waiting"  # for others' jobs to end
    STARTING = "starting"  # loading TensorFlow, reading, compiling
    RUNNING = "running"
    STOPPED = "stopped"  # before its end
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    """How far the work is; some kinds of work have more to show."""

    done: int = 0
    total: int = 0  # 0 while unknown


AnyProgress = TypeVar("AnyProgress", bound=Progress)


@dataclass(frozen=True)
class Outcome:
    """How the work has ended."""

    finished: bool  # else it was stopped before its end
    message: str = ""  # for people: why it ended early


class Work(ABC, Generic[AnyProgress]):
    """What a job does. The job's thread calls all of it."""

    failure_message: str  # what people read when it fails for a reason of the server's
    time_message: str  # what they read when it was stopped after its time, {}
    expected_errors: tuple[type[Exception], ...] = (ValueError,)  # whose messages say what people can do
    progress: AnyProgress  # how far it is; looked at between two steps, and at rest

    @abstractmethod
    def steps(self) -> Generator[str | None]:
        """Begin, or go on where it stopped. The job closes the generator to stop it.

        Yields:
            Before the first step what the work is busy with, for people; None after each step.

        Raises:
            expected_errors: what people can do something about.
        """

    @abstractmethod
    def finish(self) -> Outcome:
        """Turn what is done into a result; called when the steps have ended or were stopped."""

    def on_error(self, message: str) -> str:
        """After an expected error: save what can be saved. Returns what people read."""
        return message


AnyWork = TypeVar("AnyWork", bound=Work[Any])


@dataclass(frozen=True)
class JobView(Generic[AnyProgress]):
    """A job at one moment, for drawing."""

    status: Status
    progress: AnyProgress
    place: int = 0  # jobs to wait for
    seconds_to_wait: float | None = None  # for them; None while unknown
    seconds: float = 0.0  # that it has run
    seconds_left: float | None = None  # None while unknown
    message: str = ""  # why it failed or ended early
    preparing: str = ""  # what it is busy with before its first step

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.status in (Status.WAITING, Status.STARTING, Status.RUNNING)

    @property
    def done(self) -> int:
        return self.progress.done

    @property
    def total(self) -> int:
        return self.progress.total


class Job(Generic[AnyWork, AnyProgress]):
    """Does one work in a thread. Start, stop and go on as often as you like.

    Args:
        work: what to do.
        queue: of the server.
        time_limit: seconds from the first step's end on after which it stops by itself, waiting for others included.
    """

    def __init__(self, work: AnyWork, queue: JobQueue, time_limit: float) -> None:
        self.work = work
        self._queue = queue
        self._time_limit = time_limit
        self._starting = threading.Lock()
        self._stop = threading.Event()
        self._ticket: Ticket | None = None
        self._thread: threading.Thread | None = None
        # Replaced as a whole, by the thread while it is active and by `start` while it rests.
        self._view: JobView[AnyProgress] = JobView(Status.NEW, work.progress)

    def start(self) -> Self:
        """Start or continue, and return the job; does nothing while it waits or runs.

        Raises:
            QueueFullError: too many wait already.
        """
        with self._starting:
            if self.active:
                return self
            ticket, previous = self._queue.enter(), self._thread
            if previous is not None:  # going on after a stop
                self._stop = threading.Event()
            self._ticket = ticket
            self._view = JobView(Status.WAITING, self.work.progress, seconds=self._view.seconds)
            arguments = ticket, self._stop, previous
            self._thread = threading.Thread(target=self._run, args=arguments, daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Stop after the current step."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it rests. Returns whether it does."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    def view(self) -> JobView[AnyProgress]:
        """Its state at this moment."""
        view, ticket = self._view, self._ticket
        place = self._queue.place(ticket) if view.status is Status.WAITING and ticket is not None else 0
        return replace(view, place=place, seconds_to_wait=self._queue.seconds_to_wait(place))

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self._view.active

    @property
    def stopping(self) -> bool:
        """Whether somebody has pressed Stop."""
        return self._stop.is_set()

    def _run(self, ticket: Ticket, stop: threading.Event, previous: threading.Thread | None) -> None:
        if previous is not None:
            previous.join()  # one thread at a time
        with self._queue.turn(ticket, stop) as has_turn:
            if not has_turn:
                self._rest(Status.STOPPED)
                return
            self._view = replace(self._view, status=Status.STARTING)
            try:
                self._work(stop)
            except Exception:
                _log.exception("%s failed", type(self.work).__name__)
                self._rest(Status.FAILED, self.work.failure_message)

    def _work(self, stop: threading.Event) -> None:
        try:
            message = self._take_steps(stop)
            outcome = Outcome(False) if message is None else self.work.finish()
        except self.work.expected_errors as error:
            self._rest(Status.FAILED, self.work.on_error(str(error)))
        else:
            status = Status.FINISHED if outcome.finished else Status.STOPPED
            self._rest(status, outcome.message or message or "")

    def _take_steps(self, stop: threading.Event) -> str | None:
        """Work until everything is done or somebody stops it.

        Returns:
            Why it stopped by itself, if it did; None where it was stopped before its first step.
        """
        before = self._view.seconds
        began: float | None = None  # when the first step was done, which may compile
        first = 0  # what was done then
        with closing(self.work.steps()) as steps:
            for preparing in steps:
                if preparing is not None:
                    self._view = replace(self._view, preparing=preparing)
                    if stop.is_set():
                        return None
                    continue
                now, progress = time.monotonic(), self.work.progress
                if began is None:
                    began, first = now, progress.done
                seconds, done = now - began, progress.done - first
                self._view = replace(
                    self._view,
                    status=Status.RUNNING,
                    progress=progress,
                    seconds=before + seconds,
                    seconds_left=seconds / done * (progress.total - progress.done) if done > 0 else None,
                )
                if progress.done >= progress.total:
                    continue
                if stop.is_set():
                    break
                if seconds > self._time_limit:
                    return self.work.time_message.format(duration(self._time_limit))
        return ""

    def _rest(self, status: Status, message: str = "") -> None:
        self._view = replace(
            self._view, status=status, progress=self.work.progress, seconds_left=None, message=message
        )


class Gate:
    """A semaphore that is fair: places go to threads in the order in which they came. Used in a `with` statement.

    Whoever computes in several batches takes a place for each. A thread may hold one place alone.

    Args:
        places: how many threads compute at a time.
    """

    def __init__(self, places: int) -> None:
        self._admitted = places  # tickets below this number have had a place, or have one
        self._next_ticket = 0
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Wait for a place and take it."""
        with self._changed:
            ticket = self._next_ticket
            self._next_ticket += 1
            self._changed.wait_for(lambda: ticket < self._admitted)

    def leave(self) -> None:
        """Give the place to the thread that has waited longest."""
        with self._changed:
            self._admitted += 1
            self._changed.notify_all()

    def __enter__(self) -> None:
        self.enter()

    def __exit__(self, *exception: object) -> None:
        self.leave()


@cache
def compute_gate() -> Gate:
    """Return the one gate of this server: a place for each core."""
    return Gate(num_cores())


def duration(seconds: float) -> str:
    """Seconds as "8 s", "1 min 20 s" or "2 h 5 min"."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def brief(seconds: float) -> str:
    """Short times as "12 ms" or "2.1 s", longer ones as `duration` has them."""
    if seconds < 0.9995:
        return f"{max(1, round(seconds * 1000))} ms"
    return f"{seconds:.1f} s" if seconds < 10 else duration(seconds)
