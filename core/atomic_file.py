"""Files that are written whole or not at all."""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TRIES = 20
_PAUSE_SECONDS = 0.1  # between two tries


@contextmanager
def replaced(path: Path, writer: str = "new") -> Iterator[Path]:
    """Yield a path to write to, whose file then replaces that at `path` in one move.

    A kill or a loss of power leaves the older file or the new one, and so does an error.

    Args:
        path: of a file, in a folder that need not exist; of a link, the target is replaced.
        writer: keeps several writers of one file apart.

    Raises:
        OSError: the file cannot be written. On Windows, another program may have it open.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{writer}")
    try:
        yield fresh
        with fresh.open("rb+") as file:  # no move may come to the disk before what it moves
            os.fsync(file.fileno())
        _move(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _move(fresh: Path, path: Path) -> None:
    """Move a file to `path`; try again while Windows refuses that, because a program has the one there open."""
    for _try in range(_TRIES):
        with suppress(PermissionError):
            fresh.replace(path)
            return
        time.sleep(_PAUSE_SECONDS)
    raise PermissionError(errno.EACCES, "another program has it open", str(path))
