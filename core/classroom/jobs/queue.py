from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class QueueFullError(RuntimeError):
    """Too many jobs wait already; the message is for people."""


class RunQueue:
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
        self._tickets: list[object] = []  # the running ones first, then those that wait
        self._changed = threading.Condition()

    def enter(self) -> object:
        """Take a ticket.

        Raises:
            QueueFullError: too many wait.
        """
        with self._changed:
            if len(self._tickets) >= self._max_running + self._max_waiting:
                raise QueueFullError(f"Too many people are {self._doing} right now. Try again in a minute.")
            ticket = object()
            self._tickets.append(ticket)
            return ticket

    def leave(self, ticket: object) -> None:
        """Give a ticket back, running or waiting."""
        with self._changed:
            if ticket in self._tickets:
                self._tickets.remove(ticket)
            self._changed.notify_all()

    def place(self, ticket: object) -> int:
        """How many must finish before this ticket's turn; 0 when it is."""
        with self._changed:
            return self._place(ticket)

    @contextmanager
    def turn(self, ticket: object, stop: threading.Event) -> Iterator[bool]:
        """Wait for the ticket's turn and hold it; gives False where `stop` was set before it came."""
        try:
            with self._changed:
                while self._place(ticket) > 0 and not stop.is_set():
                    self._changed.wait(timeout=0.2)
            yield not stop.is_set()
        finally:
            self.leave(ticket)

    def give_way(self, ticket: object, stop: threading.Event) -> None:
        """Let everybody who waits have a turn first, and wait for one's next; or until `stop` is set.

        For jobs that come in portions: called between them, inside `turn`.
        """
        with self._changed:
            if ticket not in self._tickets or len(self._tickets) <= self._max_running:
                return
            self._tickets.remove(ticket)
            self._tickets.append(ticket)
            self._changed.notify_all()
            while self._place(ticket) > 0 and not stop.is_set():
                self._changed.wait(timeout=0.2)

    def _place(self, ticket: object) -> int:
        if ticket not in self._tickets:
            return 0
        return max(0, self._tickets.index(ticket) - self._max_running + 1)
