"""The C library's memory, where graphs have their numbers."""

from __future__ import annotations

import ctypes
import sys


def trim_heap() -> None:
    """Return to the system what was freed, where the C library can (glibc: malloc_trim); some 10 ms after much work.

    glibc keeps freed memory for what asks next, in a part of its heap for each of some threads: 100 MB after 2,000
    sentences were translated.
    """
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None:
        trim(0)
