"""Batches in several threads, one for each core: batches wait less for each other than parts of a product do."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Batch = TypeVar("Batch")
Found = TypeVar("Found")

MAX_THREADS = 8  # each holds the memory of a batch


def num_cores() -> int:
    """Cores that this process may use: OMP_NUM_THREADS of them, as a cluster tells each of its workers."""
    has_affinity = hasattr(os, "sched_getaffinity")  # not on Windows or a Mac
    here = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(here, int(allowed))) if allowed.isdecimal() else here


def side_by_side(search: Callable[[Batch], Found], batches: Sequence[Batch]) -> list[Found]:
    """What a search finds for each batch, in order; a core works on one batch while others work on the next.

    Raises:
        whatever the search raised for the first batch that failed.
    """
    num_threads = min(num_cores(), len(batches), MAX_THREADS)
    if num_threads < 2:
        return [search(batch) for batch in batches]
    with ThreadPoolExecutor(num_threads, thread_name_prefix="translate") as threads:
        return list(threads.map(search, batches))
