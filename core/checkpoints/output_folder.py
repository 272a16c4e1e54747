"""Folders that are written whole or not at all, and never over somebody's other files."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from core.checkpoints.files import CONFIG, FILES, CheckpointError, OpenLimits, read_json

_LITTER = (".DS_Store", "desktop.ini", "Thumbs.db")  # what file managers leave in any folder
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


def check_writable(
    folder: Path, what: str = "checkpoint", is_one: Callable[[Path], bool] | None = None
) -> None:
    """Whether a checkpoint may be written there; worth asking before a long training.

    Args:
        folder: where to.
        what: is written there, for the message.
        is_one: whether a folder has one in it and nothing else, and may be replaced.

    Raises:
        CheckpointError: the path is a file or below one, a folder with other things in it, which saving
            would replace, or nothing may be written there.
    """
    folder = folder.resolve()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise CheckpointError(f"{there} is a file. Name a folder to write the {what} to.")
    above = folder.parent if there == folder else there
    try:
        Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=above)).rmdir()  # permissions do not tell all
        if there == folder and _names_in(folder) and not (is_one or _is_checkpoint)(folder):
            raise CheckpointError(f"{folder} has other files in it. Name a new or empty folder.")
    except OSError as error:
        raise CheckpointError(f"Cannot write {folder}: {error.strerror or error}.") from error


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A new folder to write to. It takes the place of `folder` at the end, or vanishes after an error.

    Raises:
        CheckpointError: something cannot be written.
    """
    folder = folder.resolve()  # through a link to the folder itself, which is replaced
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            yield fresh
            fresh.chmod(0o755)
            _replace_folder(fresh, folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise CheckpointError(f"Cannot write {folder}: {error.strerror or error}.") from error


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by name, and wait until the disk has them: no rename may come before their contents."""
    for name, data in files.items():
        with (folder / name).open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _names_in(folder: Path) -> set[str]:
    """Return the names in a folder, without what file managers leave in any."""
    return {path.name for path in folder.iterdir()} - set(_LITTER)


def _is_checkpoint(folder: Path) -> bool:
    """Whether a folder has one of our checkpoints in it and nothing else."""
    if not {CONFIG} <= _names_in(folder) <= set(FILES):
        return False
    try:
        OpenLimits().check_files({CONFIG: (folder / CONFIG).stat().st_size})
        return "format_version" in read_json((folder / CONFIG).read_bytes(), CONFIG)
    except CheckpointError:
        return False


def _replace_folder(fresh: Path, folder: Path) -> None:
    """Put `fresh` in the place of `folder`: nobody ever sees a half-written folder, or none where one was."""
    if not folder.exists():
        fresh.rename(folder)
        return
    if _exchange(fresh, folder):
        return
    old = fresh.with_name(f"{fresh.name}.old")
    folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:  # Ctrl-C as well
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap the names of two folders in one step, so that a kill comes before or after it; False where none can.

    Linux alone: `renameat2(2)`, which Python does not offer. The caller removes what has the old contents then.
    """
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        return False
    result: int = rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)
    return result == 0
