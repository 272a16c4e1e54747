from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

_MAX_VIEWS = 200


@dataclass(frozen=True)
class SharedView:
    """A page as somebody has it."""

    page: str  # as it stands in an address
    parameters: Mapping[str, str] = field(default_factory=dict)  # what follows the question mark


class ShortAddresses:
    """Numbers for views whose addresses are too long to type. They end with the server.

    Args:
        most: kept; the oldest goes first.
    """

    def __init__(self, most: int = _MAX_VIEWS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._views: dict[str, SharedView] = {}
        self._count = 0

    def number_of(self, view: SharedView) -> str:
        """The view's number: the same as long as it is kept."""
        with self._lock:
            for number, known in self._views.items():
                if known == view:
                    return number
            self._count += 1
            self._views[f"{self._count}"] = view
            while len(self._views) > self._most:
                del self._views[next(iter(self._views))]
            return f"{self._count}"

    def find(self, number: str) -> SharedView | None:
        """The view of a number; None where it is not kept, or never was."""
        with self._lock:
            return self._views.get(number)
