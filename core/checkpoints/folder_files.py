"""A checkpoint's files in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.checkpoints.format import FILES, CheckpointError
from core.checkpoints.open_limits import OpenLimits


class FolderFiles:
    """The files by name; others in the folder are left alone.

    Args:
        folder: where they lie.
        limits: on their sizes.

    Raises:
        CheckpointError: there is no such folder, or the files are too large.
        OSError: it cannot be read.
    """

    def __init__(self, folder: Path, limits: OpenLimits) -> None:
        if not folder.is_dir():
            raise CheckpointError(f"There is no checkpoint at {folder}.")
        self._folder = folder
        self._sizes = {name: (folder / name).stat().st_size for name in FILES if (folder / name).is_file()}
        limits.check_files(self._sizes)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of each file, by its name."""
        return self._sizes

    def read(self, name: str) -> bytes:
        """A file's bytes.

        Raises:
            OSError: it cannot be read.
        """
        return (self._folder / name).read_bytes()
