from __future__ import annotations

import time
from collections.abc import Callable

MAX_AWAY_SECONDS = 5.0  # that a tab may be gone (a reload takes some) before what works for it stops


class Presence:
    """Whether somebody is still there to read what is worked on; a tab that reloads is away for a moment.

    Args:
        is_there: whether they are at this moment.
        patience: seconds that they may be away.
        clock: seconds.
    """

    def __init__(
        self,
        is_there: Callable[[], bool],
        patience: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._is_there = is_there
        self._patience = patience
        self._clock = clock
        self._away_since: float | None = None

    def __call__(self) -> bool:
        """Whether to keep on; asked again and again."""
        if self._is_there():
            self._away_since = None
            return True
        now = self._clock()
        if self._away_since is None:
            self._away_since = now
        return now - self._away_since < self._patience
