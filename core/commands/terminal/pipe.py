"""Standard input, line by line, in bounded windows."""

import select
import sys
from collections.abc import Iterator
from io import BufferedReader, BytesIO
from typing import NamedTuple

from core.inference.texts import MAX_CHARACTERS

# Of a window, which bounds the memory for a pipe of millions of lines.
MAX_LINES = 2000
MAX_BYTES = 1 << 18
# Lines in the first window, so that its translations come soon; each later window may have twice as many.
_FIRST_LINES = 100
_CHUNK = 1 << 16
_LONGEST = 4 * MAX_CHARACTERS + 4  # bytes kept of a line; longer ones are not translated

Stream = BufferedReader | BytesIO  # bytes that can be read as they arrive


class InputLine(NamedTuple):
    """One line of the input."""

    text: str
    problem: str = ""  # why it cannot be read


def line_windows(stream: Stream) -> Iterator[list[InputLine]]:
    """Yield windows of the lines that are available, without line ends, at most MAX_LINES or about MAX_BYTES.

    So a user at a terminal or a slow program gets an answer to each line, and a large file takes few batches.
    """
    window: list[InputLine] = []
    size = 0  # bytes in the window
    most = min(_FIRST_LINES, MAX_LINES)
    rest = b""  # a line without its end
    is_first = True
    while chunk := stream.read1(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[:_LONGEST]
        for data in lines:
            window.append(_line(data, is_first))
            size += len(data)
            is_first = False
            if len(window) == most or size > MAX_BYTES:
                yield window
                window = []
                size = 0
                most = min(2 * most, MAX_LINES)
        if window and not _has_more(stream):
            yield window
            window = []
            size = 0
    if rest:
        window.append(_line(rest, is_first))
    if window:
        yield window


def _line(data: bytes, is_first: bool) -> InputLine:
    if len(data) >= _LONGEST:
        return InputLine("", f"It has more than {MAX_CHARACTERS:,} characters.")
    try:
        text = data.decode("utf-8-sig" if is_first else "utf-8")  # there may be a byte order mark
    except UnicodeDecodeError:
        return InputLine("", "It is not UTF-8 text.")
    return InputLine(text.removesuffix("\r"))


def _has_more(stream: Stream) -> bool:
    """Return whether more data, or the end, can be read now; always True on Windows, which cannot tell."""
    if sys.platform == "win32":
        return True
    try:
        return bool(select.select([stream], [], [], 0)[0])
    except (OSError, ValueError):  # not a file of the operating system
        return True
