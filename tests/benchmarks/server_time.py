from __future__ import annotations

import os
import time
from pathlib import Path

_QUIET_SHARE = 0.15  # of a core, below which a server has nothing left to do in the background
_LOOK_SECONDS = 3.0


def server_of(parent: int) -> int:
    """The process of the Streamlit server that is a child of another process.

    Raises:
        RuntimeError: there is no such server.
    """
    for children in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in children.read_text().split():
            if b"streamlit" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    raise RuntimeError("The server has ended.")


def cpu_seconds(process: int) -> float:
    """CPU time that a process has taken so far, all threads together."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_quiet(process: int, most_seconds: float = 600.0) -> bool:
    """Wait until a server compiles nothing more in the background; whether it came to that."""
    end = time.perf_counter() + most_seconds
    while time.perf_counter() < end:
        before = cpu_seconds(process)
        time.sleep(_LOOK_SECONDS)
        if cpu_seconds(process) - before < _QUIET_SHARE * _LOOK_SECONDS:
            return True
    return False
