"""A checkpoint's files, read from a folder or a zip, with limits of their size. A zip's names never become paths."""

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

_NO_LIMIT = math.inf
MAX_EXAMPLE_CHARACTERS = 300  # per side of an example that training writes, or that a page opens
MAX_NUMBER = 1e300  # largest number in a file; NaN and infinity are not below it
_ZIP_ERRORS = (  # raised by zipfile for damaged files
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, IndexError,
    struct.error, zlib.error,
)  # fmt: skip

_CHUNK = 1 << 20  # bytes inflated at a time
_ENTRY_SIGNATURE = b"PK\x01\x02"  # before each entry of a zip's directory


class CheckpointError(ValueError):
    """A checkpoint cannot be read or written; the message says which part and why."""


class CheckpointTooLargeError(CheckpointError):
    """A checkpoint is larger than allowed; otherwise it may be sound."""


@dataclass(frozen=True)
class OpenLimits:
    """Limits on the checkpoints that are opened. The defaults are for your own machine; a shared server allows less.

    `ModelConfig` has further limits.
    """

    max_bytes: int = 256 * 1024 * 1024  # all files together, unpacked
    # Each file except the weights; it takes many times that in memory.
    max_text_bytes: int = 4 * 1024 * 1024
    max_entries: int = 100  # files in a zip, others included
    shape: Mapping[str, int] = field(default_factory=dict)  # largest values of fields of ModelConfig
    max_parameters: float = _NO_LIMIT  # each takes 4 bytes
    max_token: float = _NO_LIMIT  # characters per token
    max_examples: int = 100  # pairs
    max_example: int = 1000  # characters per side of a pair
    max_metrics: int = 1000  # numbers in metrics.json
    max_metric: int = 1000  # characters of a metric's name

    def check_files(self, sizes: Mapping[str, int]) -> None:
        """Refuse files that are too large, by their sizes in bytes.

        Raises:
            CheckpointTooLargeError: one of a checkpoint's files is too large, or all files together are.
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
        """Refuse a number that is larger than allowed.

        Raises:
            CheckpointTooLargeError: `received` is more than `most`; the message names `what`.
        """
        if received > most:
            raise CheckpointTooLargeError(
                f"{what} must be at most {most:,} to be opened here. Received: {received:,}"
            )


OPEN_LIMITS = OpenLimits(  # for checkpoints that a server's visitors open
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
    """A checkpoint's files by their names, each read on demand, so that config.json can be checked first."""

    sizes: Mapping[str, int]  # bytes of each existing file
    read: Callable[[str], bytes]  # may raise CheckpointError or OSError


def files_in_folder(folder: Path, limits: OpenLimits) -> CheckpointFiles:
    """Find a checkpoint's files in a folder; other files are ignored.

    Raises:
        CheckpointError: there is no such folder, or the files are too large.
        OSError: the folder cannot be read.
    """
    if not folder.is_dir():
        raise CheckpointError(f"There is no checkpoint at {folder}.")
    sizes = {name: (folder / name).stat().st_size for name in FILES if (folder / name).is_file()}
    limits.check_files(sizes)
    return CheckpointFiles(sizes, lambda name: (folder / name).read_bytes())


def files_in_zip(data: bytes, limits: OpenLimits) -> CheckpointFiles:
    """Find a checkpoint's files in a zip, at its top level or in one folder.

    Reading never goes beyond a file's declared size, which `limits` allows.

    Raises:
        CheckpointError: it is not a zip, reaches outside its folder, is too large, or holds several checkpoints.
    """
    # Counted in the raw bytes: zipfile would create an object of some 500 bytes for each.
    if (found := data.count(_ENTRY_SIGNATURE)) > limits.max_entries:
        raise CheckpointError(f"This zip has {found:,} files; a checkpoint has {len(FILES)}.")
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
    limits.check_files({**sizes, "": sum(entry.file_size for entry in entries) - sum(sizes.values())})
    if len({path.parent for path in paths if path.name in FILES}) > 1:
        raise CheckpointError("This zip has more than one checkpoint in it. Zip one folder alone.")

    def read(name: str) -> bytes:
        try:
            return read_entry(archive, wanted[name])
        except _ZIP_ERRORS as error:
            raise _unreadable() from error

    return CheckpointFiles(sizes, read)


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
        "This is not a zip file that can be read here. Use a checkpoint zip made by Transformer Classroom."
    )


def _check_inside(name: str) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in "".join(path.parts[:1]):
        raise CheckpointError(f"This zip is refused: {name!r:.80} points outside its folder.")


def read_text(data: bytes, name: str) -> str:
    """Decode the text of the file `name`.

    Raises:
        CheckpointError: the bytes are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{name} is not UTF-8 text.") from error


def read_json(data: bytes, name: str) -> dict[str, Any]:
    """Parse the JSON object in the file `name`.

    Raises:
        CheckpointError: the bytes are not JSON, or not an object.
    """
    try:
        values = json.loads(data.decode("utf-8"))
        json.dumps(values, ensure_ascii=False).encode()  # fails for a lone surrogate: "\\ud800"
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{name} is not valid JSON.") from error
    if not isinstance(values, dict):
        raise CheckpointError(f"{name} must hold a JSON object.")
    return values


def write_json(values: Any) -> bytes:
    """Return indented JSON, so that two checkpoints can be compared line by line."""
    return (json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER
