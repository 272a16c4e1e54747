"""Standard input, line by line, in bounded windows."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from io import BufferedReader, BytesIO
from typing import NamedTuple

from core.inference.texts import MAX_CHARACTERS

MAX_LINES, MAX_BYTES = 2000, 1 << 18  # of a window: what a pipe of millions holds in memory
# Lines in a file's first window, whose translations come soon; each next window may have twice as many.
FIRST_LINES = 100
_CHUNK = 1 << 16
_LONGEST = 4 * MAX_CHARACTERS + 4  # bytes kept of a line: nobody translates a longer one


Stream = BufferedReader | BytesIO  # of bytes, which can be read as they come


class InputLine(NamedTuple):
    """One line of the input."""

    text: str
    problem: str = ""  # why it is none


def line_windows(stream: Stream) -> Iterator[list[InputLine]]:
    """All lines without their ends: those that are there now, at most MAX_LINES and some MAX_BYTES together.

    So a person at a terminal and a slow program get an answer to each line, and a large file few batches.
    """
    window: list[InputLine] = []
    size, rest, is_first, most = 0, b"", True, min(FIRST_LINES, MAX_LINES)
    while chunk := stream.read1(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[:_LONGEST]
        for data in lines:
            window.append(_line(data, is_first))
            size, is_first = size + len(data), False
            if len(window) == most or size > MAX_BYTES:
                yield window
                window, size, most = [], 0, min(2 * most, MAX_LINES)
        if window and not _has_more(stream):
            yield window
            window, size = [], 0
    if rest:
        window.append(_line(rest, is_first))
    if window:
        yield window


def _line(data: bytes, is_first: bool) -> InputLine:
    if len(data) >= _LONGEST:
        return InputLine("", f"It has more than {MAX_CHARACTERS:,} characters.")
    try:
        text = data.decode("utf-8-sig" if is_first else "utf-8")  # some programs begin every file with a mark
    except UnicodeDecodeError:
        return InputLine("", "It is not UTF-8 text.")
    return InputLine(text.removesuffix("\r"))


def _has_more(stream: Stream) -> bool:
    """Whether more of it can be read at once, or its end. Windows cannot tell of a pipe: it says yes."""
    if sys.platform == "win32":
        return True
    try:
        return bool(select.select([stream], [], [], 0)[0])
    except (OSError, ValueError):  # not a file of the system
        return True
