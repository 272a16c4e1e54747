from __future__ import annotations

import sys

import pytest

from core.classroom.memory import used_megabytes
from core.model.programs.heap import trim_heap


@pytest.mark.skipif(sys.platform != "linux", reason="of glibc's memory")
def test_what_was_freed_goes_back_to_the_system() -> None:
    trim_heap()  # what earlier tests left would be used again
    before = used_megabytes()
    blocks = [b"." * 100_000 for _ in range(2000)]  # each too small for a mapping of its own
    del blocks[:-1]  # the last keeps the heap from ending before it
    kept = used_megabytes()
    trim_heap()
    assert kept - used_megabytes() > 100
    assert kept - before > 100  # else glibc does it by itself, and this can go
