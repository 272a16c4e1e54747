"""Who computes and who waits: long jobs in a queue, batches of all of them at one gate."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Self

from core.inference.translator import num_cores

_WEIGHT_OF_LAST = 0.2  # of the last turn, in what is expected of the next


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
                self._learn(time.monotonic() - started)
        finally:
            self.leave(ticket)

    def seconds_to_wait(self, place: int) -> float | None:
        """How long somebody at a place will wait, if turns take what they took lately; None while unknown."""
        with self._changed:
            return None if self._usual_seconds is None else self._usual_seconds * place / self._max_running

    def _learn(self, seconds: float) -> None:
        with self._changed:
            usual = seconds if self._usual_seconds is None else self._usual_seconds
            self._usual_seconds = usual + _WEIGHT_OF_LAST * (seconds - usual)


class Gate:
    """A semaphore that is fair: places go to threads in the order in which they came. Used in a `with` statement.

    Whoever computes in several batches takes a place for each. A thread may hold one place alone.

    Args:
        places: how many threads compute at a time.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def enter(self) -> None:
        """Wait for a place and take it."""
        turn = threading.Event()
        with self._lock:
            self._waiting.append(turn)
            self._let_in()
        turn.wait()

    def leave(self) -> None:
        """Give the place to the thread that has waited longest."""
        with self._lock:
            self._free += 1
            self._let_in()

    def __enter__(self) -> Self:
        self.enter()
        return self

    def __exit__(self, *exception: object) -> None:
        self.leave()

    def _let_in(self) -> None:
        """Let in as many as there is room for. Called with the lock held."""
        while self._free and self._waiting:
            self._free -= 1
            self._waiting.popleft().set()


@cache
def compute_gate() -> Gate:
    """Return the one gate of this server: a place for each core."""
    return Gate(num_cores())
