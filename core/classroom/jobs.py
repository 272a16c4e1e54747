"""Long work in a thread of its own: it waits for its turn, does its steps, can be stopped and goes on."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from core.classroom.queue import JobQueue, Ticket

_log = logging.getLogger(__name__)


class Status(Enum):
    """The states of a job."""

    NEW = "new"  # never started
    WAITING = "waiting"  # for others' jobs to end
    STARTING = "starting"  # loading TensorFlow, reading, compiling
    RUNNING = "running"
    STOPPED = "stopped"  # before its end
    FINISHED = "finished"
    FAILED = "failed"


ACTIVE = (Status.WAITING, Status.STARTING, Status.RUNNING)


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
    expected_errors: tuple[type[Exception], ...] = (ValueError,)  # whose messages say what people can do

    @abstractmethod
    def progress(self) -> AnyProgress:
        """How far it is. Called between two steps, and at rest."""

    @abstractmethod
    def steps(self, report: Callable[[str], None]) -> Generator[None]:
        """Begin, or go on where it stopped. The job closes the generator to stop it.

        Args:
            report: told what the work is busy with, before the first step and within a long one; raises where somebody
                has pressed Stop, or where the time is up.

        Raises:
            expected_errors: what people can do something about.
        """

    @abstractmethod
    def finish(self) -> Outcome:
        """Turn what is done into a result; called when the steps have ended or were stopped."""

    def on_error(self, message: str) -> str:
        """After an expected error: save what can be saved. Returns what people read."""
        return message

    @abstractmethod
    def time_limit_message(self, seconds: float) -> str:
        """What people read when it was stopped after its time."""


AnyWork = TypeVar("AnyWork", bound=Work[Any])


@dataclass(frozen=True)
class JobView(Generic[AnyProgress]):
    """A job at one moment, for drawing."""

    status: Status
    place: int  # jobs to wait for
    seconds_to_wait: float | None  # for them; None while unknown
    progress: AnyProgress
    seconds: float  # that it has run
    seconds_left: float | None  # None while unknown
    message: str  # why it failed or ended early
    preparing: str  # what it is busy with before its first step

    @property
    def active(self) -> bool:
        return self.status in ACTIVE

    @property
    def done(self) -> int:
        return self.progress.done

    @property
    def total(self) -> int:
        return self.progress.total


class _StoppedError(Exception):
    """The work was left in the middle of a step, with what people read."""


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
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._ticket: Ticket | None = None
        self._thread: threading.Thread | None = None
        # What pages read: written under the lock.
        self._status = Status.NEW
        self._message = ""
        self._preparing = ""
        self._progress: AnyProgress = work.progress()
        self._seconds_before = 0.0  # run before this start
        self._seconds = 0.0  # run since this start's first step
        self._done_before = 0  # with that step

    def start(self) -> None:
        """Start or continue; does nothing while the job waits or runs.

        Raises:
            QueueFullError: too many wait already.
        """
        with self._lock:
            if self.active:
                return
            ticket = self._ticket = self._queue.enter()
            previous = self._thread
            if previous is not None:  # going on after a stop
                self._stop = threading.Event()
            self._status = Status.WAITING
            self._message = self._preparing = ""
            self._progress = self.work.progress()
            self._seconds_before += self._seconds
            self._seconds = 0.0
            arguments = ticket, self._stop, previous
            self._thread = threading.Thread(target=self._run, args=arguments, daemon=True)
            self._thread.start()

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
        with self._lock:
            progress = self._progress
            steps = progress.done - self._done_before
            is_known = self._status is Status.RUNNING and steps > 0
            left = self._seconds / steps * (progress.total - progress.done) if is_known else None
            waits_with = self._ticket if self._status is Status.WAITING else None
            place = self._queue.place(waits_with) if waits_with is not None else 0
            wait = self._queue.seconds_to_wait(place)
            seconds = self._seconds_before + self._seconds
            return JobView(self._status, place, wait, progress, seconds, left, self._message, self._preparing)

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        with self._lock:
            return self._status in ACTIVE

    @property
    def stopping(self) -> bool:
        """Whether somebody has pressed Stop."""
        return self._stop.is_set()

    def _run(self, ticket: Ticket, stop: threading.Event, previous: threading.Thread | None) -> None:
        if previous is not None:
            previous.join()  # one thread at a time
        with self._queue.turn(ticket, stop) as has_turn:
            if not has_turn:
                self._set(Status.STOPPED)
                return
            self._set(Status.STARTING)
            try:
                self._work(stop)
            except Exception:
                _log.exception("%s failed", type(self.work).__name__)
                self._set(Status.FAILED, self.work.failure_message)

    def _work(self, stop: threading.Event) -> None:
        try:
            message = self._take_steps(stop)
            outcome = self.work.finish()
        except _StoppedError as stopped:
            self._set(Status.STOPPED, str(stopped))
        except self.work.expected_errors as error:
            self._set(Status.FAILED, self.work.on_error(str(error)))
        else:
            status = Status.FINISHED if outcome.finished else Status.STOPPED
            self._set(status, outcome.message or message)

    def _take_steps(self, stop: threading.Event) -> str:
        """Work until everything is done or somebody stops it. Returns why it stopped by itself, if it did."""
        began: float | None = None  # when the first step was done, which may compile

        def report(preparing: str) -> None:
            if stop.is_set():
                raise _StoppedError
            if began is not None and time.monotonic() - began > self._time_limit:
                raise _StoppedError(self.work.time_limit_message(self._time_limit))
            with self._lock:
                self._preparing = preparing

        with closing(self.work.steps(report)) as steps:
            for _ in steps:
                now = time.monotonic()
                began = began or now
                progress = self._publish(now - began)
                if progress.done >= progress.total:
                    continue
                if stop.is_set():
                    break
                if now - began > self._time_limit:
                    return self.work.time_limit_message(self._time_limit)
        return ""

    def _publish(self, seconds: float) -> AnyProgress:
        """Publish the progress so many seconds after the first step."""
        progress: AnyProgress = self.work.progress()
        with self._lock:
            self._progress = progress
            self._seconds = seconds
            if self._status is not Status.RUNNING:
                self._status = Status.RUNNING
                self._done_before = progress.done
        return progress

    def _set(self, status: Status, message: str = "") -> None:
        progress = self.work.progress()
        with self._lock:
            self._status, self._message, self._progress = status, message, progress


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
