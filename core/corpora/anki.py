"""English-French sentence pairs from Tatoeba, as packed by www.manythings.org/anki."""

import io
import random
import re
import unicodedata
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Literal

from core.atomic_file import replaced
from core.corpora.corpus import Split
from core.errors import InputError
from core.language import _
from core.records.text import Pair
from core.tokens.normalization import normal_form, plain_apostrophes

Side = Literal["en", "fr"]

_ADDRESS = "http://www.manythings.org/anki/fra-eng.zip"
ARCHIVE = "fra-eng.zip"
_MEMBER = "fra.txt"
MAX_BYTES = 256 * 1024 * 1024  # limit of the unpacked text file; the edition of 2026 has some 40 MB
# Of the English sentences; the rest is the test split.
_TRAIN_PART = 0.70
_VALIDATION_PART = 0.15
_DOWNLOAD_SECONDS = 20  # timeout without a byte from the host
# The host refuses urllib's own user agent with "406 Not Acceptable".
_HEADERS = {"User-Agent": "Mozilla/5.0 (TransformerClassroom)"}


def read_anki(path: Path, split: Split, *, source: Side = "en") -> Iterator[Pair]:
    """Stream one split of the English-French file, both sides through `space_punctuation`.

    The English sentences, not the lines, are shuffled and split 70/15/15, the same at every call. So no English sentence
    is in two splits with two of its translations, in any case. Pairs come in the order of the file, by length: shuffle
    them before taking a sample.

    Args:
        path: path of fra-eng.zip, or of the fra.txt in it.
        split: the split to read.
        source: the language translated from.

    Raises:
        InputError: at the call, the file is missing, damaged, holds no pairs, or a row is not a pair.
    """
    found = path.stat() if path.is_file() else None  # None: the reader raises the error
    sentences = _shuffled_sentences(path.resolve(), found and (found.st_mtime_ns, found.st_size))
    first = round(_TRAIN_PART * len(sentences))
    second = round((_TRAIN_PART + _VALIDATION_PART) * len(sentences))
    parts = {"train": sentences[:first], "validation": sentences[first:second], "test": sentences[second:]}
    return _pairs_of(path, frozenset(parts[split]), source)


def download_anki(folder: Path, address: str = _ADDRESS) -> Path:
    """Download the zip to `folder` unless it is there, and return its path; it is written whole or not at all.

    Raises:
        InputError: the host does not answer or sends no zip; the message says what to do.
    """
    path = folder / ARCHIVE
    if path.is_file():
        return path
    by_hand = f"Try again later, or download it in a browser and put it at {path}."
    try:
        request = urllib.request.Request(address, headers=_HEADERS)
        with urllib.request.urlopen(request, timeout=_DOWNLOAD_SECONDS) as answer:
            data = answer.read(MAX_BYTES)
        if not zipfile.is_zipfile(io.BytesIO(data)):
            raise InputError(f"What {address} sent is not a zip. {by_hand}")
        with replaced(path) as fresh:
            fresh.write_bytes(data)
    except OSError as error:  # urllib's errors are OSErrors too
        raise InputError(f"{address} could not be downloaded ({error}). {by_hand}") from error
    return path


def space_punctuation(text: str) -> str:
    """Normalize text (NFKC), with one space around punctuation that is not inside a word.

    "Aujourd'hui, peut-être\u202f!" becomes "Aujourd'hui , peut-être !", like the TED files apart from case. Invisible
    characters (soft hyphen, zero-width space) are removed; the three ways to write an apostrophe become one.
    """
    text = plain_apostrophes(normal_form("NFKC", text))
    if not text.isascii():
        text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return " ".join(_NO_WORD.sub(_space_mark, text).split())


_NO_WORD = re.compile(r"[^\w\s]|_")


def _space_mark(match: re.Match[str]) -> str:
    """Return the character, with spaces around punctuation that is not between two letters or digits."""
    character = match.group()
    if unicodedata.category(character)[0] not in "PS":
        return character
    text = match.string
    at = match.start()
    is_inside = text[max(at - 1, 0) : at].isalnum() and text[at + 1 : at + 2].isalnum()
    return character if is_inside else f" {character} "


@lru_cache(maxsize=1)
def _shuffled_sentences(path: Path, version: tuple[int, int] | None) -> list[str]:
    """Return all English sentences, cached until the file changes, which `version` tells."""
    sentences = list(dict.fromkeys(space_punctuation(english).casefold() for english, french in _rows(path)))
    if not sentences:
        raise InputError(
            _("{file} must have a sentence and its translation on each line. Received: none.").format(
                file=path.name
            )
        )
    random.Random(0).shuffle(sentences)
    return sentences


def _pairs_of(path: Path, in_split: frozenset[str], source: Side) -> Iterator[Pair]:
    for english, rows in groupby(_rows(path), key=itemgetter(0)):
        spaced = space_punctuation(english)
        if spaced.casefold() in in_split:
            for _english, french in rows:
                sides = spaced, space_punctuation(french)
                yield Pair(*sides) if source == "en" else Pair(*reversed(sides))


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    """Yield English and French of each line; newer editions have an attribution behind, which is skipped."""
    try:
        lines = _read(path).decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(_("{file} must be UTF-8 text.").format(file=path.name)) from error
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(
            _("{file} is damaged. Download it again from {address}.").format(file=path.name, address=_ADDRESS)
        ) from error
    for number, line in enumerate(lines, start=1):
        english, french = [*line.split("\t"), ""][:2]
        if english.strip() and french.strip():
            yield english, french
        elif line.strip():
            raise InputError(
                _("Line {line} of {file} must have English, a tab, French. Received: {received}").format(
                    line=number, file=path.name, received=f"{line!r:.80}"
                )
            )


def _read(path: Path) -> bytes:
    """Return the bytes of the text file, or of the one inside the zip, which is never extracted."""
    if not path.is_file():
        raise InputError(
            _("There is no file {path}. Download {address} to it.").format(path=path, address=_ADDRESS)
        )
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        if _MEMBER not in archive.namelist():
            raise InputError(f"{path.name} must have {_MEMBER} in it. Received: {archive.namelist()!r:.80}")
        if archive.getinfo(_MEMBER).file_size > MAX_BYTES:
            raise InputError(f"{_MEMBER} in {path.name} must unpack to at most {MAX_BYTES // 2**20} MiB.")
        return archive.read(_MEMBER)
