"""Folders that are written whole or not at all, and never replace other files."""

import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from core.checkpoints.files import CONFIG, FILES, CheckpointFiles
from core.checkpoints.limits import CheckpointError, OpenLimits

_LITTER = (".DS_Store", "desktop.ini", "Thumbs.db")  # files that file managers create in any folder
_AT_FDCWD = -100  # constants of Linux
_RENAME_EXCHANGE = 2


def check_writable(
    folder: Path, what: str = "checkpoint", is_one: Callable[[Path], bool] | None = None
) -> None:
    """Check that a checkpoint can be written to a folder, before a long training run.

    Args:
        folder: folder to write to.
        what: what is written, for the error message.
        is_one: returns whether a folder has only that in it, and may be replaced; None for checkpoints.

    Raises:
        CheckpointError: the path is a file or below one, is a folder with other files, or cannot be written.
    """
    folder = folder.resolve()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise CheckpointError(f"{there} is a file. Name a folder to write the {what} to.")
    above = folder.parent if there == folder else there
    try:
        # Permissions do not tell everything.
        Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=above)).rmdir()
        if there == folder and _names_in(folder) and not (is_one or _is_checkpoint)(folder):
            raise CheckpointError(f"{folder} has other files in it. Name a new or empty folder.")
    except OSError as error:
        raise CheckpointError(f"Cannot write {folder}: {error.strerror or error}.") from error


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """Create a folder to write to, which replaces `folder` at the end, or is removed after an error.

    Raises:
        CheckpointError: the folder cannot be written.
    """
    folder = folder.resolve()  # a link's target is replaced, not the link
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
    """Write files by name, and wait until they are on disk: no rename may precede their contents."""
    for name, data in files.items():
        with (folder / name).open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _names_in(folder: Path) -> set[str]:
    """Return the names in a folder, except those of file managers."""
    return {path.name for path in folder.iterdir()} - set(_LITTER)


def _is_checkpoint(folder: Path) -> bool:
    """Return whether a folder has a checkpoint in it, and nothing else."""
    if not {CONFIG} <= _names_in(folder) <= set(FILES):
        return False
    config = folder / CONFIG
    try:
        files = CheckpointFiles({CONFIG: config.stat().st_size}, lambda _: config.read_bytes(), OpenLimits())
        return "format_version" in files.json(CONFIG)
    except CheckpointError:
        return False


def _replace_folder(fresh: Path, folder: Path) -> None:
    """Replace `folder` by `fresh`, so that readers see either the old folder or the new one."""
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
    """Swap the names of two folders atomically; return False if the system cannot.

    Only Linux can, with `renameat2(2)`, which Python does not offer. `one` has the old contents then.
    """
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        return False
    result: int = rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    return result == 0
