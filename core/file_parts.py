"""A large file of lines in parts, and the folder that their translations are written to, whoever translates.

A part is written whole or not at all, so that whoever begins again does only what is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LINES_IN_PART = 1000  # of a file: what a kill loses at most; some ten seconds of one core
_TASK = "task.json"
_PROBLEMS = ".problems"
_BYTE_ORDER_MARK = "\ufeff"  # some programs begin every file with it


class PartsError(ValueError):
    """A file that cannot be translated in parts; the message says what to do."""


@dataclass(frozen=True)
class LinePart:
    """Some lines of a file, one after another."""

    number: int  # from 0
    first: int  # byte
    end: int  # byte after its last one
    lines: int


@dataclass(frozen=True)
class FileTask:
    """A file on its way to its translation, which whoever begins again goes on with."""

    source: Path
    parts: tuple[LinePart, ...]
    out: Path

    @classmethod
    def begin(cls, source: Path, out: Path, settings: Mapping[str, Any]) -> FileTask:
        """Cut the file, and make the folder of its parts or find it again.

        Args:
            source: the file.
            out: what is to be written in the end, in one move.
            settings: what else the translations depend on, as plain values.

        Raises:
            PartsError: the file is no text, nothing can be written there, or the parts are of another task.
        """
        if out.is_dir() or out.resolve() == source.resolve():
            raise PartsError(f"--out must be a file of its own. Received: {out}")
        parts, digest = cut_file(source, LINES_IN_PART)
        task = cls(source, parts, out)
        task._begin_folder({"source": digest, **settings, "lines_in_part": LINES_IN_PART})
        return task

    @property
    def folder(self) -> Path:
        """Where the translated parts lie, on a disk that every worker sees."""
        return self.out.with_name(f"{self.out.name}.parts")

    @property
    def lines(self) -> int:
        return sum(part.lines for part in self.parts)

    def missing(self) -> list[LinePart]:
        """Return the parts to translate, in their order."""
        return [part for part in self.parts if not self._path(part).exists()]

    def read(self, part: LinePart) -> list[str]:
        """Return the lines of a part, without their ends."""
        with self.source.open("rb") as file:
            file.seek(part.first)
            text = file.read(part.end - part.first).decode()
        if part.number == 0:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]

    def write(self, part: LinePart, lines: Sequence[str], problems: int = 0) -> None:
        """Keep a part's translations, one a line, and how many lines of it had none."""
        assert len(lines) == part.lines
        if problems:  # first: a part that is there is complete
            _write(self._path(part).with_suffix(_PROBLEMS), str(problems).encode())
        _write(self._path(part), "".join(f"{line}\n" for line in lines).encode())

    def finish(self) -> int:
        """Write all parts in their order to `out`, in one move; return how many lines have no translation.

        Raises:
            PartsError: a part is missing or has another number of lines, or `out` cannot be written.
        """
        fresh = self.folder / "joined"
        try:
            problems = sum(int(path.read_bytes()) for path in self.folder.glob(f"*{_PROBLEMS}"))
            with fresh.open("wb") as file:
                for part in self.parts:
                    data = self._path(part).read_bytes()
                    if data.count(b"\n") != part.lines:
                        raise PartsError(f"{self._path(part)} is damaged. Delete it and start again.")
                    file.write(data)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.out)
            shutil.rmtree(self.folder)
        except OSError as error:
            raise PartsError(f"Cannot write {self.out}: {error.strerror or error}.") from error
        return problems

    def _begin_folder(self, task: Mapping[str, Any]) -> None:
        """Make the folder, or continue with that of the same task."""
        path, text = self.folder / _TASK, json.dumps(dict(task))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                # `finish` removes all that is in it; names with a point are what a killed `_write` leaves.
                if any(not other.name.startswith(".") for other in self.folder.iterdir()):
                    raise PartsError(f"{self.folder} has other files in it. Move or delete them.")
                _write(path, text.encode())
            there = path.read_text(encoding="utf-8")
        except OSError as error:
            raise PartsError(f"Cannot write {self.folder}: {error.strerror or error}.") from error
        if there != text:
            raise PartsError(
                f"{self.folder} has parts of another file, model or search. Give those, or delete the folder."
            )

    def _path(self, part: LinePart) -> Path:
        return self.folder / f"part-{part.number:06d}.txt"


def cut_file(path: Path, lines_in_part: int) -> tuple[tuple[LinePart, ...], str]:
    """Read a file of UTF-8 lines once and cut it; return the parts, and the file's SHA-256.

    Raises:
        PartsError: it cannot be read, or is no UTF-8 text.
    """
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
        raise PartsError(f"Line {total} of {path} is not UTF-8 text.") from error
    except OSError as error:
        raise PartsError(f"Cannot read {path}: {error.strerror or error}.") from error
    if lines:
        parts.append(LinePart(len(parts), first, end, lines))
    return tuple(parts), digest.hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file in one move; the process's number keeps two writers of one part apart."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
