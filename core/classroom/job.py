"""Long work in a thread of its own: it calls no Streamlit, waits for its turn, and can be stopped."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum

from core.classroom.queue import QueueFullError, RunQueue

_log = logging.getLogger(__name__)


class Status(Enum):
    """Where a job stands."""

    WAITING = "waiting"  # for others' jobs to end
    STARTING = "starting"  # loading TensorFlow, compiling
    RUNNING = "running"
    STOPPED = "stopped"  # before its end
    FINISHED = "finished"
    FAILED = "failed"


ACTIVE = (Status.WAITING, Status.STARTING, Status.RUNNING)

AfterTurn = Callable[[], None]


class WorkerJob(ABC):
    """What a training and an evaluation have in common.

    A subclass works in `_do`, and writes what pages read under `_lock`.

    Args:
        queue: of the server.
        time_limit: seconds after which it stops by itself.
        apology: what people read when it fails for a reason of the server's.
    """

    expected_errors: tuple[type[Exception], ...] = (ValueError,)  # whose messages say what people can do

    def __init__(self, queue: RunQueue, time_limit: float, apology: str) -> None:
        self._queue = queue
        self._time_limit = time_limit
        self._apology = apology
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._status = Status.WAITING
        self._message = ""  # why it failed or stopped by itself
        self._ticket: object = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, or go on from where it stopped.

        Raises:
            QueueFullError: too many wait already.
        """
        with self._lock:
            if not self._is_active:
                self._launch(self._queue.enter())

    def stop(self) -> None:
        """Come to rest after the step under way."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it rests; whether it does."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        with self._lock:
            return self._status in ACTIVE

    @property
    def stopping(self) -> bool:
        """Whether somebody has pressed Stop."""
        return self._stop.is_set()

    @abstractmethod
    def _do(self, stop: threading.Event) -> AfterTurn | None:
        """Work until done or stopped, and set the status; what is left to do when the turn is over.

        Raises:
            expected_errors: what people can do something about.
        """

    def _fail(self, message: str) -> None:
        """The work has raised an error that people can do something about."""
        self._set(Status.FAILED, message)

    def _set(self, status: Status, message: str = "") -> None:
        with self._lock:
            self._status = status
            self._message = message

    @property
    def _is_active(self) -> bool:
        """As `active`, with the lock held; not yet, before its first start."""
        return self._thread is not None and self._status in ACTIVE

    @property
    def _place(self) -> int:
        """How many jobs it waits for. Called with the lock held."""
        return self._queue.place(self._ticket) if self._status is Status.WAITING else 0

    def _launch(self, ticket: object) -> None:
        """Start the thread that works when the ticket's turn comes. Called with the lock held."""
        previous = self._thread
        self._ticket = ticket
        if previous is not None:  # going on after a Stop
            self._stop = threading.Event()
        self._status = Status.WAITING
        self._message = ""
        thread = threading.Thread(target=self._work, args=(ticket, self._stop, previous), daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the server can start no more threads
            self._queue.leave(ticket)
            self._status = Status.STOPPED
            raise QueueFullError("The server is too busy right now. Try again in a minute.") from None
        self._thread = thread

    def _work(self, ticket: object, stop: threading.Event, previous: threading.Thread | None) -> None:
        if previous is not None:
            previous.join()  # one thread at a time
        after_turn = None
        with self._queue.turn(ticket, stop) as mine:
            if not mine:
                self._set(Status.STOPPED)
                return
            self._set(Status.STARTING)
            try:
                after_turn = self._try(stop)
            except Exception:
                _log.exception("%s failed", type(self).__name__)
                self._set(Status.FAILED, self._apology)
        if after_turn is not None:
            after_turn()

    def _try(self, stop: threading.Event) -> AfterTurn | None:
        try:
            return self._do(stop)
        except self.expected_errors as error:
            self._fail(str(error))
            return None
