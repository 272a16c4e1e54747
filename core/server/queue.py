"""Turns: a queue for jobs, of which a few run at a time, and a gate for computations of a moment."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from heapq import heapify, heapreplace

from core.errors import RefusedError
from core.inference.translator import num_cores
from core.language import N_, _

_FULL = N_("Too many people are training right now. Try again in a minute.")


@dataclass(frozen=True, eq=False)
class Ticket:
    """A place in a queue."""

    seconds_left: Callable[[], float | None]  # returns how long its job will still run; None while unknown


class JobQueue:
    """Lets a few long jobs run at a time; the others wait in the order of arrival.

    Args:
        max_running: the number of jobs that run at a time.
        max_waiting: the largest number of jobs that wait.
        full_message: for users, when there are too many.
    """

    def __init__(self, max_running: int, max_waiting: int, full_message: str = _FULL) -> None:
        self._full_message = full_message
        self._max_running = max_running
        self._max_waiting = max_waiting
        self._tickets: list[Ticket] = []  # running jobs first, then waiting ones
        self._changed = threading.Condition()

    def enter(self, seconds_left: Callable[[], float | None] = lambda: None) -> Ticket:
        """Take a ticket, a place in the queue.

        Raises:
            RefusedError: too many jobs are waiting.
        """
        with self._changed:
            if len(self._tickets) >= self._max_running + self._max_waiting:
                raise RefusedError(_(self._full_message))
            ticket = Ticket(seconds_left)
            self._tickets.append(ticket)
            return ticket

    def leave(self, ticket: Ticket) -> None:
        """Return a ticket, running or waiting."""
        with self._changed:
            if ticket in self._tickets:
                self._tickets.remove(ticket)
            self._changed.notify_all()

    def place(self, ticket: Ticket) -> int:
        """Return how many jobs must finish before a ticket's turn; 0 during its turn."""
        with self._changed:
            if ticket not in self._tickets:
                return 0
            return max(0, self._tickets.index(ticket) - self._max_running + 1)

    @contextmanager
    def turn(self, ticket: Ticket, stop: threading.Event) -> Iterator[bool]:
        """Wait for a ticket's turn and hold it; yield False if `stop` is set before."""
        try:
            with self._changed:
                while self.place(ticket) > 0 and not stop.is_set():
                    self._changed.wait(timeout=0.2)
            yield not stop.is_set()
        finally:
            self.leave(ticket)

    def seconds_to_wait(self, ticket: Ticket) -> float | None:
        """Return how long a ticket waits by what the jobs before it have left; None if one of them does not know."""
        with self._changed:
            if not self.place(ticket):
                return 0.0
            before = self._tickets[: self._tickets.index(ticket)]
            left = [each.seconds_left() for each in before]
        if None in left:
            return None
        known = [seconds for seconds in left if seconds is not None]
        free = known[: self._max_running]  # when each of the running jobs ends
        heapify(free)
        for seconds in known[self._max_running :]:
            heapreplace(free, free[0] + seconds)
        return free[0] if free else None


class Gate:
    """A fair semaphore for `with` statements: threads get places in the order of arrival.

    Work in several batches takes a place for each batch. A thread may hold only one place.
    """

    def __init__(self, places: int) -> None:
        self._admitted = places  # tickets below this number have, or had, a place
        self._next_ticket = 0
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Wait for a place and take it."""
        with self._changed:
            ticket = self._next_ticket
            self._next_ticket += 1
            self._changed.wait_for(lambda: ticket < self._admitted)

    def leave(self) -> None:
        """Release the place to the thread that has waited longest."""
        with self._changed:
            self._admitted += 1
            self._changed.notify_all()

    def __enter__(self) -> None:
        self.enter()

    def __exit__(self, *exception: object) -> None:
        self.leave()


@cache
def compute_gate() -> Gate:
    """Return the server's gate, with a place for each core."""
    return Gate(num_cores())
