"""Memory that is free again, given back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_free_memory_back() -> None:
    """Return what was freed, where the C library can; takes some 10 ms after much work, of all threads.

    glibc keeps it, in as many places as there were threads, for whatever asks next: 100 MB after translating a file.
    """
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None:
        trim(0)
