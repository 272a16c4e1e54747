"""Computing with models, a few at a time, so that nobody waits for a whole long text of somebody else."""

from __future__ import annotations

import threading
from collections import deque
from functools import cache
from typing import Self

from core.inference.translator import num_cores


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
