from __future__ import annotations

from pathlib import Path


def resident_bytes(parent: int) -> int:
    """What the Streamlit server that is a child of a process holds in memory, its own children included.

    Raises:
        RuntimeError: there is no such server.
    """
    processes: dict[int, tuple[int, int, bytes]] = {}  # parent, bytes, command, by process
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            command = (status.parent / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        resident = int(lines.get("VmRSS", "0 kB").split()[0]) * 1024
        processes[int(status.parent.name)] = (int(lines["PPid"]), resident, command)
    family = {pid for pid, (of, _, command) in processes.items() if of == parent and b"streamlit" in command}
    if not family:
        raise RuntimeError("The server has ended.")
    while more := {pid for pid, (of, _, _) in processes.items() if of in family} - family:
        family |= more
    return sum(processes[pid][1] for pid in family)


def resident_megabytes() -> float:
    """What this process holds in memory, its program files included."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("The system does not say what a process holds.")
