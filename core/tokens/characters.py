"""Classes of characters as regular expressions that Python and TensorFlow's RE2 read alike."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

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
    prefixes = tuple(categories)
    return _ranges(code for code, category in enumerate(_categories()) if category.startswith(prefixes))


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
def _categories() -> tuple[str, ...]:
    found = (unicodedata.category(chr(code)) for code in range(sys.maxunicode + 1))
    return tuple("" if category == "Cs" else category for category in found)


def _ranges(codes: Iterable[int]) -> str:
    return "".join(
        _in_brackets(first) if first == last else f"{_in_brackets(first)}-{_in_brackets(last)}"
        for first, last in _runs(codes)
    )


def _runs(codes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last code point of each run."""
    codes = iter(codes)
    first = last = next(codes)
    for code in codes:
        if code != last + 1:
            yield first, last
            first = code
        last = code
    yield first, last


def _in_brackets(code: int) -> str:
    # RE2 has no \N and no \U; only ASCII characters have a meaning in brackets.
    return re.escape(chr(code)) if 0x20 < code < 0x7F else f"\\x{code:02x}" if code < 0x80 else chr(code)
