"""The limit on the server's memory."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

from core.errors import RefusedError
from core.language import _, number
from core.server.settings import server_settings

MB = 1024 * 1024
MEMORY_FOR_ONE = 100  # MB that a training run or an opened model may take; with less, it is refused

_MIN_CEILING = 800  # MB, without a setting
MAX_CEILING = 4096
_SHARE = 0.8  # of the available memory; the system needs the rest
# The files of both versions of Linux's control groups.
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)

_PROCESSES = Path("/proc")

# Held while a model is opened, from `free_memory` on: thirty people at once would all find enough.
opening = threading.Lock()

_releases: list[Callable[[], None]] = []
_others: list[Callable[[], int | None]] = []


def used_megabytes() -> float:
    """Return the memory that only the server and its other processes can free, in MB; 0 if unknown (not on Linux).

    Pages of program files, 400 MB with TensorFlow, do not count: the system can drop and reload them.
    """
    others = [process() for process in _others]
    return _megabytes_of("self") + sum(_megabytes_of(str(pid)) for pid in others if pid is not None)


def _megabytes_of(process: str) -> float:
    try:
        lines = map(str.split, (_PROCESSES / process / "status").read_text().splitlines())
    except OSError:  # not Linux, or it has just ended
        return 0.0
    return sum(int(line[1]) / 1024 for line in lines if line[0] in ("RssAnon:", "RssShmem:"))


def also_count(process: Callable[[], int | None]) -> None:
    """Register another process of the server, by a function that returns its id, or None while there is none."""
    _others.append(process)


def when_short(release: Callable[[], None]) -> None:
    """Register a function that frees memory, called when memory is short."""
    _releases.append(release)


@cache
def ceiling() -> int:
    """Return the limit in MB: the setting, or four fifths of the container's or machine's memory, within bounds."""
    if chosen := server_settings().max_memory:
        return chosen
    limits = [_machine_megabytes()]
    for file in _CONTAINER_LIMITS:
        text = file.read_text().strip() if file.exists() else ""
        if text.isdecimal():  # "max" means no limit
            limits.append(int(text) / MB)
    return int(min(MAX_CEILING, max(_MIN_CEILING, _SHARE * min(limits))))


def _machine_megabytes() -> float:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:  # not on Windows
        return float(MAX_CEILING)
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / MB


def free_memory() -> None:
    """Free memory if the limit is near, before something new takes memory.

    Raises:
        RefusedError: too little memory could be freed.
    """
    most = ceiling() - MEMORY_FOR_ONE
    if used_megabytes() <= most:
        return
    for release in _releases:
        release()
    gc.collect()
    if used_megabytes() > most:
        raise RefusedError(
            _(
                "The server's memory is full (its limit is {limit} MB). Try again when other training runs have ended, "
                "or use a model that is open already."
            ).format(limit=number(ceiling(), ","))
        )
