"""A large file of lines in parts, and the folder that their translations are written to, whoever translates.

A part is written whole or not at all, so that whoever begins again does only what is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
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
class LineFile:
    """A file of UTF-8 lines, cut into parts."""

    path: Path
    parts: tuple[LinePart, ...]
    digest: str  # SHA-256 of the file


def cut_file(path: Path, lines_in_part: int) -> LineFile:
    """Read a file once and cut it.

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
    return LineFile(path, tuple(parts), digest.hexdigest())


def read_part(path: Path, part: LinePart) -> list[str]:
    """The lines of a part, without their ends."""
    with path.open("rb") as file:
        file.seek(part.first)
        text = file.read(part.end - part.first).decode()
    if part.number == 0:
        text = text.removeprefix(_BYTE_ORDER_MARK)
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


@dataclass(frozen=True)
class PartFolder:
    """Translated parts on a disk that every worker sees."""

    folder: Path

    @classmethod
    def beside(cls, out: Path) -> PartFolder:
        return cls(out.with_name(f"{out.name}.parts"))

    def begin(self, task: Mapping[str, Any]) -> None:
        """Make the folder, or continue with it.

        Args:
            task: what the translations depend on, as plain values.

        Raises:
            PartsError: it holds parts of another task or other files, or cannot be written.
        """
        path = self.folder / _TASK
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                self._check_own()
                _write(path, json.dumps(dict(task)).encode())
            there = path.read_text(encoding="utf-8")
        except OSError as error:
            raise PartsError(f"Cannot write {self.folder}: {error.strerror or error}.") from error
        if there != json.dumps(dict(task)):
            raise PartsError(
                f"{self.folder} has parts of another file, model or search. Give those, or delete the folder."
            )

    def _check_own(self) -> None:
        """Whether a folder without a task is empty: `join` removes it with all that is in it."""
        others = (path.name for path in self.folder.iterdir() if path.name != _TASK)
        if any(not name.startswith(".") for name in others):  # those are what a killed `_write` leaves
            raise PartsError(f"{self.folder} has other files in it. Move or delete them.")

    def has(self, part: LinePart) -> bool:
        """Whether a part is translated."""
        return self._path(part).exists()

    def write(self, part: LinePart, lines: Sequence[str], problems: int = 0) -> None:
        """Keep a part's translations, and how many lines of it had none.

        Raises:
            PartsError: there are more or fewer than the part has lines.
        """
        if len(lines) != part.lines:
            raise PartsError(f"Part {part.number} has {part.lines} lines. Received: {len(lines)}")
        if problems:  # first: a part that is there is complete
            _write(self._path(part).with_suffix(_PROBLEMS), str(problems).encode())
        _write(self._path(part), "".join(f"{line}\n" for line in lines).encode())

    def problems(self) -> int:
        """Lines without a translation in all parts, those of earlier calls too."""
        return sum(int(path.read_bytes()) for path in self.folder.glob(f"*{_PROBLEMS}"))

    def join(self, parts: Iterable[LinePart], out: Path) -> None:
        """Write all parts in their order to one file, in one move, and remove the folder.

        Raises:
            PartsError: a part is missing or has another number of lines, or `out` cannot be written.
        """
        fresh = self.folder / "joined"
        try:
            with fresh.open("wb") as file:
                for part in parts:
                    data = self._path(part).read_bytes()
                    if data.count(b"\n") != part.lines:
                        raise PartsError(f"{self._path(part)} is damaged. Delete it and start again.")
                    file.write(data)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(out)
            shutil.rmtree(self.folder)
        except OSError as error:
            raise PartsError(f"Cannot write {out}: {error.strerror or error}.") from error

    def _path(self, part: LinePart) -> Path:
        return self.folder / f"part-{part.number:06d}.txt"


@dataclass(frozen=True)
class FileTask:
    """A file on its way to its translation, which whoever begins again goes on with."""

    file: LineFile
    folder: PartFolder
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
        file, folder = cut_file(source, LINES_IN_PART), PartFolder.beside(out)
        folder.begin({"source": file.digest, **settings, "lines_in_part": LINES_IN_PART})
        return cls(file, folder, out)

    @property
    def lines(self) -> int:
        return sum(part.lines for part in self.file.parts)

    def missing(self) -> list[LinePart]:
        """The parts to translate, in their order."""
        return [part for part in self.file.parts if not self.folder.has(part)]

    def finish(self) -> int:
        """Join the parts; returns how many lines have no translation.

        Raises:
            PartsError: as `PartFolder.join`.
        """
        problems = self.folder.problems()
        self.folder.join(self.file.parts, self.out)
        return problems


def _write(path: Path, data: bytes) -> None:
    """Write a file in one move; the process's number keeps two writers of one part apart."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
