"""A checkpoint's files, found in a folder or a zip, and read within limits. A zip's names never become paths."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path, PurePosixPath
from typing import Any, Self

from core.checkpoints.limits import CheckpointError, CheckpointTooLargeError, OpenLimits
from core.language import _, number

CONFIG = "config.json"
WEIGHTS = "weights.safetensors"
SOURCE = "source_vocabulary.txt"
TARGET = "target_vocabulary.txt"
METRICS = "metrics.json"
CARD = "README.md"
EPOCHS = "epochs.csv"
REQUIRED = (CONFIG, WEIGHTS, SOURCE, TARGET)
FILES = (*REQUIRED, METRICS, CARD, EPOCHS)

_ZIP_ERRORS = (  # raised by zipfile for damaged files
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    struct.error,
    zlib.error,
)
_CHUNK = 1 << 20  # bytes inflated at a time
_ENTRY_SIGNATURE = b"PK\x01\x02"  # before each entry of a zip's directory


class CheckpointFiles:
    """A checkpoint's files by their names, each read on demand, so that config.json can be checked first.

    Args:
        sizes: bytes of each existing file.
        read: returns a file's bytes; may raise CheckpointError or OSError.
        limits: what may be opened.
        other_bytes: bytes of other files that lie beside them in a zip.

    Raises:
        CheckpointTooLargeError: one of the files is too large, or all together are.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        read: Callable[[str], bytes],
        limits: OpenLimits,
        other_bytes: int = 0,
    ) -> None:
        limits.check_bytes(sum(sizes.values()) + other_bytes)
        for name, size in sizes.items():
            most = limits.max_bytes if name == WEIGHTS else limits.max_text_bytes
            if size > most:
                raise CheckpointTooLargeError(
                    _("{file} has {size} MiB; at most {most} MiB are read.").format(
                        file=name, size=number(size / 2**20, ",.1f"), most=number(most / 2**20, ",.0f")
                    )
                )
        self.sizes = sizes
        self.read = read
        self.limits = limits

    @classmethod
    def at(cls, path: Path, limits: OpenLimits) -> Self:
        """Find the files in a folder, where other files are ignored, or in a zip.

        Raises:
            CheckpointError: there is no checkpoint, or it is too large.
            OSError: the path cannot be read.
        """
        if path.is_file():
            limits.check_bytes(path.stat().st_size)
            return cls.in_zip(path.read_bytes(), limits)
        if not path.is_dir():
            raise CheckpointError(f"There is no checkpoint at {path}.")
        sizes = {name: (path / name).stat().st_size for name in FILES if (path / name).is_file()}
        return cls(sizes, lambda name: (path / name).read_bytes(), limits)

    @classmethod
    def in_zip(cls, data: bytes, limits: OpenLimits) -> Self:
        """Find the files in a zip, at its top level or in one folder.

        Reading never goes beyond a file's declared size, which `limits` allows.

        Raises:
            CheckpointError: it is not a zip, reaches outside its folder, is too large, or holds several checkpoints.
        """
        # Counted in the raw bytes: zipfile would create an object of some 500 bytes for each.
        if (found := data.count(_ENTRY_SIGNATURE)) > limits.max_entries:
            raise CheckpointError(
                _("This zip has {count} files; a checkpoint has {usual}.").format(
                    count=number(found, ","), usual=len(FILES)
                )
            )
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
        except _ZIP_ERRORS as error:
            raise _unreadable() from error
        # Not is_dir(), which raises an error for an empty name.
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
        for entry in entries:
            _check_inside(entry.filename)
        paths = {PurePosixPath(entry.filename): entry for entry in entries}
        wanted = {path.name: entry for path, entry in paths.items() if path.name in FILES}
        sizes = {name: entry.file_size for name, entry in wanted.items()}
        other_bytes = sum(entry.file_size for entry in entries) - sum(sizes.values())

        def read(name: str) -> bytes:
            try:
                return read_entry(archive, wanted[name])
            except _ZIP_ERRORS as error:
                raise _unreadable() from error

        files = cls(sizes, read, limits, other_bytes)
        if len({path.parent for path in paths if path.name in FILES}) > 1:
            raise CheckpointError(_("This zip has more than one checkpoint in it. Zip one folder alone."))
        return files

    def __contains__(self, name: str) -> bool:
        return name in self.sizes

    def text(self, name: str) -> str:
        """Read a file of text.

        Raises:
            CheckpointError: its bytes are not UTF-8.
        """
        try:
            return self.read(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise CheckpointError(_("{file} is not UTF-8 text.").format(file=name)) from error

    def json(self, name: str) -> dict[str, Any]:
        """Read a file with a JSON object.

        Raises:
            CheckpointError: its bytes are not JSON, or not an object.
        """
        data = self.read(name)
        try:
            values = json.loads(data.decode("utf-8"))
            json.dumps(values, ensure_ascii=False).encode()  # fails for a lone surrogate: "\\ud800"
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            raise CheckpointError(_("{file} is not valid JSON.").format(file=name)) from error
        if not isinstance(values, dict):
            raise CheckpointError(_("{file} must hold a JSON object.").format(file=name))
        return values


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the bytes of an entry, and inflate at most one byte more than it declares.

    Callers can rely on `entry.file_size`, and compare it with their limits first.

    Raises:
        BadZipFile: the entry is damaged, or has more or fewer bytes than it declares.
        NotImplementedError: the entry is neither stored nor deflated; LZMA can require any amount of memory, and
            bzip2 inflates thousands of times its size at once.
    """
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImplementedError(
            f"Only stored and deflated entries are read. Received: {entry.compress_type}"
        )
    # ZipFile.read inflates everything at once, then silently cuts it at the declared size. Declaring one byte more
    # reveals the excess.
    roomy = copy(entry)
    roomy.file_size += 1
    data = io.BytesIO()
    with archive.open(roomy) as file:
        while chunk := file.read(_CHUNK):
            data.write(chunk)
    if data.tell() != entry.file_size:
        raise zipfile.BadZipFile(
            f"{entry.filename!r:.80} must unpack to the {entry.file_size:,} bytes it declares. "
            f"Received: {'more' if data.tell() > entry.file_size else 'fewer'}"
        )
    return data.getvalue()


def write_zip(files: Mapping[str, bytes]) -> bytes:
    """Return files by name as a zip without dates, so that equal files give equal zips."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _unreadable() -> CheckpointError:
    return CheckpointError(
        _("This is not a zip file that can be read here. Use a checkpoint zip made by Transformer Classroom.")
    )


def _check_inside(name: str) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1]):
        raise CheckpointError(
            _("This zip is refused: {file} points outside its folder.").format(file=f"{name!r:.80}")
        )
