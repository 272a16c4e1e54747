"""Changes to Streamlit and Python at run time, each with its reason.

Seen in Streamlit 1.67. tests/pages/test_workarounds.py fails once one of them is no longer needed.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache

from streamlit.runtime.app_session import AppSession

if sys.platform != "win32":
    import resource

_M_ARENA_MAX = -8  # of malloc.h
_MAX_FILES = 8192


def keep_caches() -> None:
    """Keep Streamlit from clearing the caches when a browser asks for it.

    Any browser may ask, even before the class code, and all visitors share the caches: the store of workspaces, the
    count of wrong codes (app_session.AppSession._handle_clear_cache_request).
    """
    AppSession._handle_clear_cache_request = lambda self: None  # type: ignore[method-assign]


@cache
def limit_heaps() -> None:
    """Give all threads of the server two heaps, where the C library would give each its own and keep what it freed."""
    if mallopt := _c_function("mallopt"):
        mallopt(_M_ARENA_MAX, 2)


def allow_files() -> None:
    """Let the server hold a line for each phone of a hall: macOS stops it at 256 files, Linux at 1,024."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = min(limit for limit in (hard, _MAX_FILES) if limit != resource.RLIM_INFINITY)
        if 0 <= soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def return_memory() -> None:
    """Give back to the system what this process has freed: 30 MB after the pages and models are loaded."""
    if malloc_trim := _c_function("malloc_trim"):
        malloc_trim(0)


def _c_function(name: str) -> Callable[..., int] | None:
    """Return a function of Linux's C library; None where there is none by that name."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
