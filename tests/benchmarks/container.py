"""The app as a free host runs it: a container of 1 GB and half a core.

    python -m tests.benchmarks.container                  # as root on Linux: it makes control groups

Prints how long the first visitor of a fresh server waits for a translation, how long one from opening Train to a
trained model, and the memory. Exits with 1 where a target is missed or the system has killed the server. Nothing else
should run on the machine.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.load import SENTENCES, train, translate
from tests.benchmarks.visitor import Visitor
from tests.browser.app import running_app

BYTES, CORES = 1000 * 1024**2, 0.5
MAX_FIRST_SECONDS, MAX_TRAINING_SECONDS = 4.0, 20.0
_CGROUPS = Path("/sys/fs/cgroup")
_NAME = f"transformer-classroom-{os.getpid()}"
_PERIOD = 100_000  # µs, of the share of a core
_QUOTA = f"{CORES * _PERIOD:.0f}"
_LIMITS = (  # of control groups of version 2, or of version 1; their share of a core comes before what others want
    {_CGROUPS / _NAME: {"memory.max": f"{BYTES}", "cpu.max": f"{_QUOTA} {_PERIOD}", "cpu.weight": "10000"}}
    if (_CGROUPS / "cgroup.controllers").exists()
    else {
        _CGROUPS / "memory" / _NAME: {"memory.limit_in_bytes": f"{BYTES}"},
        _CGROUPS / "cpu" / _NAME: {
            "cpu.cfs_period_us": f"{_PERIOD}",
            "cpu.cfs_quota_us": _QUOTA,
            "cpu.shares": "100000",
        },
    }
)


_FOLDERS = tuple(_LIMITS)
# Before a command: joins the groups, then becomes the command.
_PREFIX = [
    "sh",
    "-c",
    "".join(f"echo $$ > {folder}/cgroup.procs; " for folder in _FOLDERS) + 'exec "$@"',
    "sh",
]


@contextmanager
def container() -> Iterator[None]:
    """Make the groups, and remove them at the end.

    Raises:
        OSError: this user or this machine may not.
    """
    try:
        for folder, values in _LIMITS.items():
            folder.mkdir()
            for name, value in values.items():
                (folder / name).write_text(value)
        yield
    finally:
        for folder in _FOLDERS:
            if folder.exists():
                folder.rmdir()


def told(*names: str) -> str:
    """Return what the group for memory says, by the file's name in version 2 or 1."""
    return next(path.read_text() for name in names if (path := _FOLDERS[0] / name).exists())


async def first_translation(address: str) -> float:
    """Return the seconds from opening the app to the first translation on the page."""
    begin = time.perf_counter()
    async with Visitor(address) as visitor:
        await visitor.open()
        await visitor.open("translate")
        await translate(visitor, SENTENCES[0])
    return time.perf_counter() - begin


async def first_training(address: str) -> float:
    """Return the seconds from opening Train to a trained model; TensorFlow is loaded on the way."""
    begin = time.perf_counter()
    async with Visitor(address, "train") as visitor:
        await visitor.open()
        await train(visitor, "Start")
    return time.perf_counter() - begin


def main() -> int:
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    log = Path(tempfile.mkdtemp()) / "server.log"
    with container():
        with running_app(log, {"max_memory": "800"}, _PREFIX) as address:
            translation = asyncio.run(first_translation(address))
            training = asyncio.run(first_training(address))
        # Without program files that others have read before.
        megabytes = int(told("memory.peak", "memory.max_usage_in_bytes")) / 1024**2
        events = dict(line.split() for line in told("memory.events", "memory.oom_control").splitlines())
        killed = int(events.get("oom_kill", 0))
    print(f"App opened, first translation: {translation:.1f} s (at most {MAX_FIRST_SECONDS:g})")
    print(f"Train opened, model trained: {training:.1f} s (at most {MAX_TRAINING_SECONDS:g})")
    print(f"memory: {megabytes:.0f} MB at most; killed {killed} times")
    return int(translation > MAX_FIRST_SECONDS or training > MAX_TRAINING_SECONDS or killed > 0)


if __name__ == "__main__":
    sys.exit(main())
