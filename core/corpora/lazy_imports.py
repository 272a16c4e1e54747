"""A workaround for etils 1.x, which tensorflow-datasets imports its parts with."""

from __future__ import annotations

import builtins
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def lazy_imports_in_this_thread_alone() -> Iterator[None]:
    """Within the block, `etils.epy.lazy_imports` defers the imports of this thread and of no other.

    It replaces `builtins.__import__` for the whole process while tensorflow-datasets loads. On a server, an import
    of another thread at that moment fails ("Relative import statements not supported") or gives no module.
    """
    from etils.epy import lazy_imports_utils

    lazy_import, real_import, thread = (
        lazy_imports_utils._lazy_import,
        builtins.__import__,
        threading.get_ident(),
    )

    def by_thread(
        name: str,
        globals_: Any = None,
        locals_: Any = None,
        fromlist: Any = (),
        level: int = 0,
        **callbacks: Any,
    ) -> Any:
        if threading.get_ident() != thread:
            return real_import(name, globals_, locals_, fromlist, level)
        return lazy_import(name, globals_, locals_, fromlist, level, **callbacks)

    lazy_imports_utils._lazy_import = by_thread
    try:
        yield
    finally:
        lazy_imports_utils._lazy_import = lazy_import
