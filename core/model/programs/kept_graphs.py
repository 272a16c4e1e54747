"""What is traced once for a configuration and kept for all who use it, in bounded number.

A configuration's graphs take 20 to 70 MB, and TensorFlow gives nearly all of it back when they go. So only the last
few configurations of visitors keep theirs; those of the models that everybody uses have places of their own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Generic, TypeVar

from core.config import ModelConfig

Made = TypeVar("Made")

_for_everybody: set[ModelConfig] = set()
_all: list[KeptGraphs[Any]] = []


@dataclass
class _Entry(Generic[Made]):
    made: Made
    last_used: float  # monotonic seconds


class KeptGraphs(Generic[Made]):
    """Calls a function once for each of its arguments, and keeps what was used last.

    Args:
        make: called with the configuration first, where it has one.
        most: results kept for visitors' configurations, and as many for those of everybody.
    """

    def __init__(self, make: Callable[..., Made], most: int) -> None:
        self._make = make
        self._most = most
        self._lock = threading.RLock()  # two callers share one result
        self._entries: dict[tuple[Hashable, ...], _Entry[Made]] = {}  # the last used ones last
        update_wrapper(self, make)
        _all.append(self)

    def __call__(self, *key: Hashable) -> Made:
        with self._lock:
            entry = self._entries.pop(key, None) or _Entry(self._make(*key), 0.0)
            entry.last_used = time.monotonic()
            self._entries[key] = entry
            alike = [known for known in self._entries if _is_everybodys(known) == _is_everybodys(key)]
            for known in alike[: -self._most]:
                del self._entries[known]
            return entry.made

    def __len__(self) -> int:
        return len(self._entries)

    def forget(self, unused_seconds: float) -> None:
        """Drop the visitors' results that nobody has used for so long."""
        limit = time.monotonic() - unused_seconds
        with self._lock:
            for key, entry in list(self._entries.items()):
                if entry.last_used <= limit and not _is_everybodys(key):
                    del self._entries[key]

    def forget_all(self) -> None:
        """Drop everything: the next callers trace anew."""
        with self._lock:
            self._entries.clear()


def keeps_graphs(most: int) -> Callable[[Callable[..., Made]], KeptGraphs[Made]]:
    """As a decorator: call the function once for each of its (positional) arguments."""
    return lambda make: KeptGraphs(make, most)


def share_with_everybody(config: ModelConfig) -> None:
    """This model comes with the server: no visitor's configuration takes the place of its graphs."""
    _for_everybody.update((config, config.replace(dropout_rate=0.0)))


def everybodys_configs() -> frozenset[ModelConfig]:
    """Configurations of the models that come with the server; none on the command line."""
    return frozenset(_for_everybody)


def forget_unused_graphs(unused_seconds: float) -> None:
    """Drop the graphs of visitors' configurations that nobody has used for so long."""
    for kept in _all:
        kept.forget(unused_seconds)


def forget_all_graphs() -> None:
    """Drop every graph, and which configurations are everybody's: for tests."""
    _for_everybody.clear()
    for kept in _all:
        kept.forget_all()


def _is_everybodys(key: tuple[Hashable, ...]) -> bool:
    return key[0] in _for_everybody
