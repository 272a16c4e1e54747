"""A checkpoint's files inside a zip. The zip is data: its names never become paths."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath

from core.checkpoints.format import FILES, CheckpointError
from core.checkpoints.open_limits import OpenLimits
from core.zip_entry import ZIP_ERRORS, read_entry

_ENTRY_SIGNATURE = b"PK\x01\x02"  # before each entry of a zip's directory


class ZipFiles:
    """The files by bare name, from the zip's top level or its one folder.

    Args:
        data: the zip.
        limits: on its unpacked size, all of its files counted.

    Raises:
        CheckpointError: it is not a zip, reaches outside its folder, is too large, or holds several checkpoints.
    """

    def __init__(self, data: bytes, limits: OpenLimits) -> None:
        # Counted in the raw bytes: zipfile would make an object of some 500 bytes for each.
        if (found := data.count(_ENTRY_SIGNATURE)) > limits.max_entries:
            raise CheckpointError(f"This zip has {found:,} files; a checkpoint has {len(FILES)}.")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except ZIP_ERRORS as error:
            raise _unreadable() from error
        # Not is_dir(), which raises where a name is empty.
        entries = [entry for entry in self._archive.infolist() if not entry.filename.endswith("/")]
        for entry in entries:
            _check_inside(entry.filename)
        wanted = [entry for entry in entries if _bare(entry) in FILES]
        self._entries = {_bare(entry): entry for entry in wanted}
        others = sum(entry.file_size for entry in entries if self._entries.get(_bare(entry)) is not entry)
        limits.check_files({**self.sizes, "": others})
        if len({PurePosixPath(entry.filename).parent for entry in wanted}) > 1:
            raise CheckpointError("This zip has more than one checkpoint in it. Zip one folder alone.")

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of each file by name, as the zip declares; `read` never goes beyond."""
        return {name: entry.file_size for name, entry in self._entries.items()}

    def read(self, name: str) -> bytes:
        """A file's bytes.

        Raises:
            CheckpointError: it is damaged, or larger or smaller than the zip declares.
        """
        try:
            return read_entry(self._archive, self._entries[name])
        except ZIP_ERRORS as error:
            raise _unreadable() from error


def write_zip(files: Mapping[str, bytes]) -> bytes:
    """Files by name as a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _unreadable() -> CheckpointError:
    return CheckpointError(
        "This is not a zip file that can be read here. Use a checkpoint zip made by Transformer Classroom."
    )


def _bare(entry: zipfile.ZipInfo) -> str:
    return PurePosixPath(entry.filename).name


def _check_inside(name: str) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1]):
        raise CheckpointError(f"This zip is refused: {name!r:.80} points outside its folder.")
