"""The Streamlit server that a benchmark has started: what it holds in memory and takes of the processor."""

from __future__ import annotations

import os
from pathlib import Path


def server_of(parent: int) -> int:
    """Return the process of the Streamlit server that is a child of another process.

    Raises:
        RuntimeError: there is no such server.
    """
    for children in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in children.read_text().split():
            if b"streamlit" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    raise RuntimeError("The server has ended.")


def resident_megabytes(process: int) -> float:
    """Return what a process holds in memory, its program files included."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("The process has ended.")


def cpu_seconds(process: int) -> float:
    """Return the CPU time that a process has taken so far, all threads together."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
