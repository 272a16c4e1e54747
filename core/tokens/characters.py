"""Classes of characters as regular expressions that Python and TensorFlow's RE2 read alike."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np

Range = tuple[int, int]
"""The first and the last code point."""

SPACES = "\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What `str.split()` splits at, for use in brackets."""

ASCII_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


@cache
def in_categories(*categories: str) -> str:
    r"""The characters of Unicode categories as ranges, for use in brackets.

    Spelled out, because \w and \p{L} differ between RE2 and Python, and between their versions.

    Args:
        categories: "Pd", or "P" for all that begin with it; without surrogates, which no text has.
    """
    return _in_ranges(_joined(run for category, run in _categories() if category.startswith(categories)))


@cache
def cased() -> str:
    """All letters that have a case, for use in brackets."""
    # Python writes a final sigma after just these.
    return _ranges(code for code in _scalars() if f"{chr(code)}Σ".lower().endswith("ς"))


@cache
def case_ignorable() -> str:
    """Characters that may stand inside a word (accents, apostrophes), for use in brackets."""
    between = (code for code in _scalars() if f"A{chr(code)}Σ".lower().endswith("ς"))
    return _ranges(code for code in between if not f"{chr(code)}Σ".lower().endswith("ς"))


def _scalars() -> Iterator[int]:
    """The code points of characters: all but the surrogates."""
    yield from range(0xD800)
    yield from range(0xE000, sys.maxunicode + 1)


@cache
def _categories() -> list[tuple[str, Range]]:
    """The categories in the order of code points, as runs of neighbours of one category; without surrogates."""
    # Every process that translates waits for this, so the loop over 1.1 million characters is not Python's.
    every = np.fromiter(map(unicodedata.category, map(chr, range(sys.maxunicode + 1))), dtype="U2")
    changes = np.flatnonzero(every[1:] != every[:-1]).tolist()
    firsts, lasts = [0, *(code + 1 for code in changes)], [*changes, sys.maxunicode]
    found = ((str(every[first]), (first, last)) for first, last in zip(firsts, lasts, strict=True))
    return [(category, run) for category, run in found if category != "Cs"]


def _ranges(codes: Iterable[int]) -> str:
    return _in_ranges(_joined((code, code) for code in codes))


def _in_ranges(ranges: Iterable[Range]) -> str:
    return "".join(
        _in_brackets(first) if first == last else f"{_in_brackets(first)}-{_in_brackets(last)}"
        for first, last in ranges
    )


def _joined(ranges: Iterable[Range]) -> Iterator[Range]:
    """Ranges in ascending order, with those that touch each other as one."""
    ranges = iter(ranges)
    first, last = next(ranges)
    for begin, end in ranges:
        if begin != last + 1:
            yield first, last
            first = begin
        last = end
    yield first, last


def _in_brackets(code: int) -> str:
    # RE2 has no \N and no \U; only ASCII characters have a meaning in brackets.
    return re.escape(chr(code)) if 0x20 < code < 0x7F else f"\\x{code:02x}" if code < 0x80 else chr(code)
