"""Sentence pairs for commands: of a corpus, which may have to be downloaded, or of a file."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from core.commands.terminal.quiet import import_tensorflow_quietly, print_stderr
from core.corpora.corpus import Corpus
from core.corpora.delimited import FileFormat, read_pairs, recognize_format
from core.records.text import Pair

_UTF = ("utf-8", "utf-16")


def read_corpus(corpus: Corpus, split: str) -> Iterator[Pair]:
    """Stream one split of a corpus, and say first if that needs a download."""
    if corpus.download and not corpus.is_available:
        print_stderr(f"Downloading {corpus.title}: {corpus.download}. {corpus.licence}.")
        import_tensorflow_quietly()
    return corpus.read(split)


def read_file(options: argparse.Namespace) -> tuple[list[Pair], FileFormat]:
    """Read the pairs of the file `options.corpus`, and say what is in doubt about its encoding and its first row."""
    path = Path(options.corpus)
    data = path.read_bytes()
    has_header = None if options.header is None else options.header == "yes"
    found = recognize_format(data, path.name, options.encoding or "", has_header)
    pairs = read_pairs(data, path.name, read_as=found)
    for doubt in _doubts(path.name, found, options):
        print_stderr(doubt)
    return pairs, found


def _doubts(name: str, found: FileFormat, options: argparse.Namespace) -> Iterator[str]:
    decoded = found.decoded
    header = found.header
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
    cells = found.decoded.text.replace(found.delimiter, "\n").splitlines()
    cell = next((cell for cell in cells if not cell.isascii()), cells[0])
    return f"{cell.strip():.60}"
