"""Sentence pairs for commands: of a corpus, which may have to be downloaded, or of a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from core.commands.terminal.quiet import import_tensorflow_quietly, print_stderr
from core.corpora.corpus import Corpus
from core.corpora.delimited import FileFormat, read_pairs, recognize_format
from core.records.text import Pair

_UTF = ("utf-8", "utf-16")


def read_corpus(corpus: Corpus, split: str) -> Iterator[Pair]:
    """Stream one split of a corpus, and say first if that needs a download.

    Raises:
        CorpusError: the corpus cannot be downloaded or is damaged, or there is no such split.
    """
    if corpus.download and not corpus.is_available:
        print_stderr(f"Downloading {corpus.title}: {corpus.download}. {corpus.licence}.")
        import_tensorflow_quietly()
    return corpus.read(split)


def read_file(options: argparse.Namespace) -> tuple[list[Pair], FileFormat]:
    """Read the pairs of the file `options.corpus`, and say what is in doubt about its encoding and its first row.

    Raises:
        CorpusError: the file has no pairs.
    """
    data, name = Path(options.corpus).read_bytes(), Path(options.corpus).name
    has_header = None if options.header is None else options.header == "yes"
    found = recognize_format(data, name, options.encoding or "", has_header)
    pairs = read_pairs(data, name, read_as=found)
    for doubt in _doubts(name, found, options):
        print_stderr(doubt)
    return pairs, found


def _doubts(name: str, found: FileFormat, options: argparse.Namespace) -> Iterator[str]:
    decoded, header = found.decoded, found.header
    if options.encoding is None and decoded.encoding not in _UTF:
        yield (
            f"{name} is not UTF-8. It was read as {decoded.encoding} ({decoded.encoding_name}); one of its texts is "
            f"“{_first_cell(found)}”. If letters are wrong, name the encoding, such as --encoding iso8859_2."
        )
    if decoded.example:
        yield (
            f"{name} has signs inside words, such as “{decoded.example}”: its encoding may be another. "
            "Name it with --encoding, or save the file as UTF-8."
        )
    if header.is_certain:
        return
    if header.is_header:
        yield f"The first row, “{' | '.join(header.row)}”, was read as a heading. If it is a pair, add --header no."
    else:
        yield f"The first row, “{' | '.join(header.row)}”, was read as a pair. If it is a heading, add --header yes."


def _first_cell(found: FileFormat) -> str:
    """Return the first text of the file that has a letter beyond a to z, shortened."""
    words = found.decoded.text.split(found.delimiter)
    cell = next((cell for text in words for cell in text.splitlines() if not cell.isascii()), words[0])
    return f"{cell.strip():.60}"
