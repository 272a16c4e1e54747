"""A large file of lines, translated in parts, each written whole or not at all, so that a later call can go on."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.atomic_file import replaced
from core.errors import InputError

LINES_IN_PART = 1000  # a kill loses one part at most; some ten seconds on one core
_TASK = "task.json"
_PROBLEMS = ".problems"
_BYTE_ORDER_MARK = "\ufeff"  # at the beginning of files of some programs


@dataclass(frozen=True)
class LinePart:
    """Consecutive lines of a file."""

    number: int  # from 0
    first: int  # offset of the first byte
    end: int  # offset after the last byte
    lines: int


@dataclass(frozen=True)
class FileTask:
    """The translation of a file, which a later call can continue."""

    source: Path
    version: tuple[int, int]  # of the source, as `_version` returns it
    parts: tuple[LinePart, ...]
    out: Path

    @classmethod
    def begin(cls, source: Path, out: Path, settings: Mapping[str, Any]) -> FileTask:
        """Split a file into parts, and create the folder of their translations, or continue an earlier one.

        Args:
            source: the file.
            out: the translated file, written in one move at the end.
            settings: everything else that the translations depend on, as plain values.

        Raises:
            InputError: the file is not text, `out` cannot be written, or the folder belongs to another task.
        """
        if out.is_dir() or out.resolve() == source.resolve():
            raise InputError(f"--out must be a file of its own. Received: {out}")
        try:
            version = _version(source)
        except OSError as error:
            raise InputError(f"Cannot read {source}: {error.strerror or error}.") from error
        parts, digest = _cut_file(source, LINES_IN_PART)
        task = cls(source, version, parts, out)
        task._begin_folder({"source": digest, **settings, "lines_in_part": LINES_IN_PART})
        return task

    @property
    def folder(self) -> Path:
        """The folder of the translated parts, on a disk that every worker sees."""
        return self.out.with_name(f"{self.out.name}.parts")

    @property
    def lines(self) -> int:
        return sum(part.lines for part in self.parts)

    def missing(self) -> list[LinePart]:
        """Return the parts that are not translated yet, in their order."""
        return [part for part in self.parts if not self._path(part).exists()]

    def read(self, part: LinePart) -> list[str]:
        """Return the lines of a part, without line ends.

        Raises:
            InputError: the file cannot be read, or has changed since the task began.
        """
        try:
            with self.source.open("rb") as file:
                file.seek(part.first)
                data = file.read(part.end - part.first)
            is_changed = _version(self.source) != self.version
        except OSError as error:
            raise InputError(f"Cannot read {self.source}: {error.strerror or error}.") from error
        if is_changed:
            raise InputError(f"{self.source} has changed meanwhile. Delete {self.folder} and start again.")
        text = data.decode()
        if part.number == 0:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]

    def write(self, part: LinePart, lines: Sequence[str], problems: int = 0) -> None:
        """Write a part's translations, one per line, and the number of lines that have none."""
        assert len(lines) == part.lines
        if problems:  # written first: an existing part is complete
            _write(self._path(part).with_suffix(_PROBLEMS), str(problems).encode())
        _write(self._path(part), "".join(f"{line}\n" for line in lines).encode())

    def finish(self) -> int:
        """Join all parts in `out`, in one move, and return how many lines have no translation.

        Raises:
            InputError: a part is missing or has another number of lines, or `out` cannot be written.
        """
        try:
            problems = sum(int(path.read_bytes()) for path in self.folder.glob(f"*{_PROBLEMS}"))
            with replaced(self.out) as fresh, fresh.open("wb") as file:
                for part in self.parts:
                    data = self._path(part).read_bytes()
                    if data.count(b"\n") != part.lines:
                        raise InputError(f"{self._path(part)} is damaged. Delete it and start again.")
                    file.write(data)
            shutil.rmtree(self.folder)
        except OSError as error:
            raise InputError(f"Cannot write {self.out}: {error.strerror or error}.") from error
        return problems

    def _begin_folder(self, task: Mapping[str, Any]) -> None:
        """Create the folder, or continue with that of the same task."""
        path, text = self.folder / _TASK, json.dumps(dict(task))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                # `finish` removes the folder, so it must not have other files. A killed `_write` leaves names with a dot.
                if any(not other.name.startswith(".") for other in self.folder.iterdir()):
                    raise InputError(f"{self.folder} has other files in it. Move or delete them.")
                _write(path, text.encode())
            there = path.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"Cannot write {self.folder}: {error.strerror or error}.") from error
        if there != text:
            raise InputError(
                f"{self.folder} has parts of another file, model or search. Give those, or delete the folder."
            )

    def _path(self, part: LinePart) -> Path:
        return self.folder / f"part-{part.number:06d}.txt"


def _version(path: Path) -> tuple[int, int]:
    """Return what a change of a file changes: its size in bytes, and when it was written, in nanoseconds."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _cut_file(path: Path, lines_in_part: int) -> tuple[tuple[LinePart, ...], str]:
    """Split a file of UTF-8 lines into parts, and return them and the file's SHA-256."""
    digest = hashlib.sha256()
    parts: list[LinePart] = []
    first = end = lines = total = 0
    try:
        with path.open("rb") as file:
            for line in file:
                total += 1
                line.decode()
                digest.update(line)
                end, lines = end + len(line), lines + 1
                if lines == lines_in_part:
                    parts.append(LinePart(len(parts), first, end, lines))
                    first, lines = end, 0
    except UnicodeDecodeError as error:
        raise InputError(f"Line {total} of {path} is not UTF-8 text.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error
    if lines:
        parts.append(LinePart(len(parts), first, end, lines))
    return tuple(parts), digest.hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file in one move; the process id keeps two writers of one part apart."""
    with replaced(path, str(os.getpid())) as fresh:
        fresh.write_bytes(data)
