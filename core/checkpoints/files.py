"""A checkpoint's files: their names, read from a folder or a zip, and how large they may be.

A zip is data: its names never become paths.
"""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS

FORMAT_VERSION = 1
CONFIG, WEIGHTS, METRICS, CARD = "config.json", "weights.safetensors", "metrics.json", "README.md"
EPOCHS = "epochs.csv"
SOURCE, TARGET = "source_vocabulary.txt", "target_vocabulary.txt"
REQUIRED = (CONFIG, WEIGHTS, SOURCE, TARGET)
FILES = (*REQUIRED, METRICS, CARD, EPOCHS)

NO_LIMIT = math.inf
MAX_EXAMPLE_CHARACTERS = 300  # of a side of an example, in what training writes and a page opens
MAX_NUMBER = 1e300  # of a number in a file; NaN and infinity are not smaller
ZIP_ERRORS = (  # what zipfile raises over damaged files
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, IndexError,
    struct.error, zlib.error,
)  # fmt: skip

_CHUNK = 1 << 20  # bytes inflated at a time
_ENTRY_SIGNATURE = b"PK\x01\x02"  # before each entry of a zip's directory


class CheckpointError(ValueError):
    """The checkpoint cannot be read or written; the message says which part and why."""


class CheckpointTooLargeError(CheckpointError):
    """The checkpoint may be sound, but is larger than allowed here."""


@dataclass(frozen=True)
class OpenLimits:
    """What opening a checkpoint may cost. The defaults are for your own machine; a shared server allows less.

    Where there is no limit here, `ModelConfig` still has its own.
    """

    max_bytes: int = 256 * 1024 * 1024  # bytes of all files, unpacked
    # Bytes of each file but the weights; in memory it takes many times that.
    max_text_bytes: int = 4 * 1024 * 1024
    max_entries: int = 100  # files in a zip, others included
    shape: Mapping[str, int] = field(default_factory=dict)  # the most that fields of ModelConfig may be
    max_parameters: float = NO_LIMIT  # numbers learned; each takes 4 bytes
    max_token: float = NO_LIMIT  # characters of a token
    max_examples: int = 100  # pairs
    max_example: int = 1000  # characters of each side of a pair
    max_metrics: int = 1000  # numbers about the training
    max_metric: int = 1000  # characters of the name of one

    def check_files(self, sizes: Mapping[str, int]) -> None:
        """Refuse files by their sizes (bytes, by name) alone.

        Raises:
            CheckpointTooLargeError: one of the checkpoint's own files, or all files together, are too large.
        """
        total = sum(sizes.values())
        if total > self.max_bytes:
            raise CheckpointTooLargeError(
                f"This checkpoint unpacks to {total / 2**20:,.0f} MiB; at most {self.max_bytes / 2**20:,.0f} MiB "
                "are read."
            )
        for name in FILES:
            most = self.max_bytes if name == WEIGHTS else self.max_text_bytes
            if sizes.get(name, 0) > most:
                raise CheckpointTooLargeError(
                    f"{name} has {sizes[name] / 2**20:,.1f} MiB; at most {most / 2**20:,.0f} MiB are read."
                )

    def check(self, what: str, received: int, most: float) -> None:
        """Refuse what is larger than allowed.

        Raises:
            CheckpointTooLargeError: `received` is more than `most`; the message says `what` that is.
        """
        if received > most:
            raise CheckpointTooLargeError(
                f"{what} must be at most {most:,} to be opened here. Received: {received:,}"
            )


OPEN_LIMITS = OpenLimits(  # of a server, on what visitors open; units beside the fields of OpenLimits
    max_text_bytes=1024 * 1024,
    shape={
        "num_layers": 12,
        "num_heads": 16,
        "d_model": 1024,
        "d_ff": 4096,
        "source_vocab_size": 64_000,
        "target_vocab_size": 64_000,
        "max_source_length": 512,
        "max_target_length": 512,
    },
    max_parameters=30_000_000,
    max_token=MAX_TOKEN_CHARACTERS,
    max_examples=20,
    max_example=MAX_EXAMPLE_CHARACTERS,
    max_metrics=100,
    max_metric=100,
)


@dataclass(frozen=True)
class CheckpointFiles:
    """A checkpoint's files by their names. Each is read when asked for: config.json can be checked first."""

    sizes: Mapping[str, int]  # bytes of each that is there
    read: Callable[[str], bytes]  # may raise CheckpointError or OSError


def files_in_folder(folder: Path, limits: OpenLimits) -> CheckpointFiles:
    """Find the files in a folder; others there are left alone.

    Raises:
        CheckpointError: there is no such folder, or the files are too large.
        OSError: it cannot be read.
    """
    if not folder.is_dir():
        raise CheckpointError(f"There is no checkpoint at {folder}.")
    sizes = {name: (folder / name).stat().st_size for name in FILES if (folder / name).is_file()}
    limits.check_files(sizes)
    return CheckpointFiles(sizes, lambda name: (folder / name).read_bytes())


def files_in_zip(data: bytes, limits: OpenLimits) -> CheckpointFiles:
    """Find the files by bare name in a zip, at its top level or in its one folder.

    Reading never goes beyond the size that the zip declares for a file, which `limits` has allowed.

    Raises:
        CheckpointError: it is not a zip, reaches outside its folder, is too large, or holds several checkpoints.
    """
    # Counted in the raw bytes: zipfile would make an object of some 500 bytes for each.
    if (found := data.count(_ENTRY_SIGNATURE)) > limits.max_entries:
        raise CheckpointError(f"This zip has {found:,} files; a checkpoint has {len(FILES)}.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except ZIP_ERRORS as error:
        raise _unreadable() from error
    # Not is_dir(), which raises where a name is empty.
    entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    for entry in entries:
        _check_inside(entry.filename)
    paths = {PurePosixPath(entry.filename): entry for entry in entries}
    wanted = {path.name: entry for path, entry in paths.items() if path.name in FILES}
    sizes = {name: entry.file_size for name, entry in wanted.items()}
    limits.check_files({**sizes, "": sum(entry.file_size for entry in entries) - sum(sizes.values())})
    if len({path.parent for path in paths if path.name in FILES}) > 1:
        raise CheckpointError("This zip has more than one checkpoint in it. Zip one folder alone.")

    def read(name: str) -> bytes:
        try:
            return read_entry(archive, wanted[name])
        except ZIP_ERRORS as error:
            raise _unreadable() from error

    return CheckpointFiles(sizes, read)


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the bytes of an entry, at most one more than it declares being inflated.

    The caller compares `entry.file_size` with what it can take, and may rely on it.

    Raises:
        BadZipFile: the entry is damaged, or holds more or less than it declares.
        NotImplementedError: it is neither stored nor deflated; LZMA may ask for any amount of memory, and bzip2
            inflates thousands of times its size at once.
    """
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImplementedError(
            f"Only stored and deflated entries are read. Received: {entry.compress_type}"
        )
    # ZipFile.read inflates everything at once, then cuts at the declared size, and says nothing of the rest.
    # With room for one byte more the rest shows.
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
    """Return files by name as a zip, without a date: equal files make an equal zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _unreadable() -> CheckpointError:
    return CheckpointError(
        "This is not a zip file that can be read here. Use a checkpoint zip made by Transformer Classroom."
    )


def _check_inside(name: str) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1]):
        raise CheckpointError(f"This zip is refused: {name!r:.80} points outside its folder.")


def read_text(data: bytes, name: str) -> str:
    """The text of the file `name`.

    Raises:
        CheckpointError: it is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{name} is not UTF-8 text.") from error


def read_json(data: bytes, name: str) -> dict[str, Any]:
    """The object in the file `name`.

    Raises:
        CheckpointError: it is not JSON, or not an object.
    """
    try:
        values = json.loads(data.decode("utf-8"))
        json.dumps(values, ensure_ascii=False).encode()  # fails for half a character, as "\\ud800"
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{name} is not valid JSON.") from error
    if not isinstance(values, dict):
        raise CheckpointError(f"{name} must hold a JSON object.")
    return values


def write_json(values: Any) -> bytes:
    """Indented JSON; every checkpoint is written alike, so two can be compared by eye."""
    return (json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def is_number(value: Any) -> bool:
    """Whether a value is a number, and finite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER
