"""Jobs: long work in a thread, which waits in a queue, runs step by step, and can be stopped and resumed."""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, Self, TypeVar

from core.durations import duration
from core.language import Language, _, language, reading
from core.server.queue import JobQueue, Ticket

_log = logging.getLogger(__name__)


class Status(Enum):
    """What a job is doing."""

    NEW = "new"  # not started yet
    WAITING = "waiting"  # in the queue
    STARTING = "starting"  # loading TensorFlow, reading, compiling
    RUNNING = "running"
    STOPPED = "stopped"  # before its end
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    """The progress of a job; kinds of work can add fields."""

    done: int = 0
    total: int = 0  # 0 while unknown


AnyProgress = TypeVar("AnyProgress", bound=Progress)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job's work."""

    finished: bool  # False if it was stopped before its end
    message: str = ""  # for users: why it ended early


class Work(ABC, Generic[AnyProgress]):
    """The work of a job. Its methods are called in the job's thread, except `expected_seconds`."""

    failure_message: str  # for users, after an unexpected error
    time_message: str  # for users, after the time limit {time}
    expected_errors: tuple[type[Exception], ...] = (ValueError,)  # with messages for users
    progress: AnyProgress  # read between two steps, and at rest

    @abstractmethod
    def steps(self) -> Generator[str | None]:
        """Start the work, or resume it where it stopped. The job closes the generator to stop it.

        Yields:
            Before the first step, what the work is preparing, for users; None after each step.

        Raises:
            expected_errors: errors with a message for users.
        """

    def expected_seconds(self) -> float | None:
        """Return how long the work takes from where it is, if there is an estimate before its first step."""
        return None

    @abstractmethod
    def finish(self) -> Outcome:
        """Turn the steps done into a result, when they have ended or were stopped."""

    def on_error(self, message: str) -> str:
        """Save what can be saved after an expected error, and return the message for users."""
        return message


_AnyWork = TypeVar("_AnyWork", bound=Work[Any])


@dataclass(frozen=True)
class JobState(Generic[AnyProgress]):
    """The state of a job at one moment, for display."""

    status: Status
    progress: AnyProgress
    place: int = 0  # number of jobs to wait for
    seconds_to_wait: float | None = None  # None while unknown
    seconds: float = 0.0  # of running
    seconds_left: float | None = None  # None while unknown
    message: str = ""  # why it failed or ended early
    preparing: str = ""  # what it does before its first step

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.status in (Status.WAITING, Status.STARTING, Status.RUNNING)


class Job(Generic[_AnyWork, AnyProgress]):
    """Runs work in a thread, and can be started, stopped and resumed any number of times.

    Its messages are in the language of whoever starts or resumes it.

    Args:
        work: the work to do.
        time_limit: seconds after its first step when the job stops by itself.
        queue: the queue in which to wait; without one, the job runs at once.
    """

    def __init__(self, work: _AnyWork, time_limit: float, queue: JobQueue | None = None) -> None:
        self.work = work
        self._queue = queue
        self._time_limit = time_limit
        self._expected: float | None = None  # seconds that it runs if nobody stops it
        self._starting = threading.Lock()
        self._stop = threading.Event()
        self._ticket: Ticket | None = None
        self._thread: threading.Thread | None = None
        # Replaced as a whole: by the thread while the job is active, else by `start`.
        self._state: JobState[AnyProgress] = JobState(Status.NEW, work.progress)

    def start(self) -> Self:
        """Start or resume the job, unless it is active, and return it.

        Raises:
            RefusedError: too many jobs are waiting.
        """
        with self._starting:
            if self.active:
                return self
            self._expected = self.work.expected_seconds()
            ticket = None if self._queue is None else self._queue.enter(self._seconds_left)
            previous = self._thread
            if previous is not None:  # resumed after a stop
                self._stop = threading.Event()
            self._ticket = ticket
            self._state = JobState(Status.WAITING, self.work.progress, seconds=self._state.seconds)
            arguments = ticket, self._stop, previous, language()
            self._thread = threading.Thread(target=self._run, args=arguments, daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Stop after the current step."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the job rests, at most `timeout` seconds, and return whether it does."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    def state(self) -> JobState[AnyProgress]:
        """Return where the job is at this moment."""
        state = self._state
        queue = self._queue
        ticket = self._ticket
        if state.status is not Status.WAITING or queue is None or ticket is None:
            return state
        return replace(state, place=queue.place(ticket), seconds_to_wait=queue.seconds_to_wait(ticket))

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self._state.active

    @property
    def stopping(self) -> bool:
        """Whether the job was told to stop."""
        return self._stop.is_set()

    def _seconds_left(self) -> float | None:
        """Return how long the job will still run; None while unknown."""
        left = self._state.seconds_left
        left = self._expected if left is None else left
        return None if left is None else min(left, self._time_limit)

    def _run(
        self,
        ticket: Ticket | None,
        stop: threading.Event,
        previous: threading.Thread | None,
        reader: Language,
    ) -> None:
        if previous is not None:
            previous.join()  # one thread at a time per job
        with reading(reader), self._turn(ticket, stop) as has_turn:
            if not has_turn:
                self._rest(Status.STOPPED)
                return
            self._state = replace(self._state, status=Status.STARTING)
            try:
                self._work(stop)
            except Exception:
                _log.exception("%s failed", type(self.work).__name__)
                self._rest(Status.FAILED, _(self.work.failure_message))

    def _turn(self, ticket: Ticket | None, stop: threading.Event) -> AbstractContextManager[bool]:
        if self._queue is None or ticket is None:
            return nullcontext(True)
        return self._queue.turn(ticket, stop)

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
        """Work until everything is done, or until the job is stopped.

        Returns:
            Why the job stopped by itself, or ""; None if it was stopped before its first step.
        """
        before = self._state.seconds
        began: float | None = None  # the end of the first step
        first = 0  # progress at that moment
        with closing(self.work.steps()) as steps:
            for preparing in steps:
                if preparing is not None:
                    self._state = replace(self._state, preparing=preparing)
                    if stop.is_set():
                        return None
                    continue
                now = time.monotonic()
                progress = self.work.progress
                if began is None:
                    began = now
                    first = progress.done
                seconds = now - began
                done = progress.done - first
                left = progress.total - progress.done
                self._state = replace(
                    self._state,
                    status=Status.RUNNING,
                    progress=progress,
                    seconds=before + seconds,
                    seconds_left=seconds / done * left if done > 0 else None,
                )
                if progress.done >= progress.total:
                    continue
                if stop.is_set():
                    break
                if seconds > self._time_limit:
                    return _(self.work.time_message).format(time=duration(self._time_limit))
        return ""

    def _rest(self, status: Status, message: str = "") -> None:
        self._state = replace(
            self._state, status=status, progress=self.work.progress, seconds_left=None, message=message
        )
