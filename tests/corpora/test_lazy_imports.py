"""The workaround is still needed, and works."""

from __future__ import annotations

import threading
from types import ModuleType

from etils import epy

from core.corpora.lazy_imports import lazy_imports_in_this_thread_alone


def import_in_another_thread() -> list[object]:
    """What an import gives there; an error where it fails."""
    found: list[object] = []

    def work() -> None:
        try:
            found.append(__import__("colorsys"))
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found


def test_etils_reaches_into_other_threads() -> None:
    """Where this fails, `lazy_imports_in_this_thread_alone` can go."""
    with epy.lazy_imports():
        (found,) = import_in_another_thread()
    assert type(found) is not ModuleType


def test_other_threads_import_as_ever() -> None:
    with lazy_imports_in_this_thread_alone(), epy.lazy_imports():
        (found,) = import_in_another_thread()
        here = __import__("colorsys")
    assert type(found) is ModuleType
    assert type(here) is not ModuleType  # still deferred
