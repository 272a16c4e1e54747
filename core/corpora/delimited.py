"""A user's own sentence pairs, read and written as CSV, TSV or tab-separated text."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

from core.corpora.encoding import DecodedText, decode_text
from core.corpora.languages import WrittenLanguage, find_language
from core.errors import InputError
from core.language import N_, _, number
from core.records.text import Pair

MAX_PAIRS = 200_000
MAX_BYTES = 64 * 1024 * 1024
_PROBLEMS_SHOWN = 5  # reading ends after so many
MAX_COLUMNS = 50  # offered as source and target
_ROWS_LOOKED_AT = 20  # for recognizing the delimiter

# The first bytes of files that are not text, and what is said of them: .xlsx (also .ods and other zip files), .xls before
# 2007, PDF, gzip.
_LIKE_EXCEL = N_("{file} looks like an Excel file; save it as CSV (UTF-8) and use that.")
_MAGIC = {
    b"PK\x03\x04": _LIKE_EXCEL,
    b"\xd0\xcf\x11\xe0": _LIKE_EXCEL,
    b"%PDF": N_("{file} looks like a PDF file; save it as CSV (UTF-8) and use that."),
    b"\x1f\x8b": N_("{file} looks like a compressed file; save it as CSV (UTF-8) and use that."),
}

# Tab comes first: sentences hold commas, semicolons and bars, but hardly ever a tab.
_DELIMITERS = ("\t", ",", ";", "|")

# What Excel reads and writes in the first line, to say the delimiter; the line itself stays, empty.
_SEPARATOR = re.compile(r'"?sep=([\t,;|])"?(?=\r|\n)', re.IGNORECASE)

# Spreadsheets run a cell that begins like this as a formula; an apostrophe before it makes it text. French and German
# ones begin a new cell at each semicolon of a file separated by commas; a smiley after one, ";-)", is no formula.
_BLANK = r"'*(?:[^\S\t\n]|[\ufeff\u200b])*"
_FORMULA = (
    rf"(?:^(?={_BLANK}[=+\-@＝＋－＠\t\r])|(?<=[;\t\n])(?={_BLANK}(?:[=@＝＠\t\r]|[+\-＋－]\s*[\w(=+\-@])))"
)
_BEFORE_FORMULA = re.compile(_FORMULA)
_BEFORE_ESCAPED = re.compile(rf"{_FORMULA}'")

# What people call the two columns, where they do not name the languages.
_SIDES = {
    **dict.fromkeys(("source", "src", "input"), "source"),
    **dict.fromkeys(("target", "tgt", "output", "translation"), "target"),
}
# The longest code of a language. It may also be a word: "no", "it", "est".
_CODE_CHARACTERS = 3
_MAX_HEADER_WORDS = 3
_ENDS_A_SENTENCE = re.compile(r"""[.?!…。？！]["'”»)]*$""")


@dataclass(frozen=True)
class _Header:
    """Whether the first row of a file names its columns, and whether that is certain."""

    row: tuple[str, ...]
    is_header: bool
    is_certain: bool


@dataclass(frozen=True)
class FileFormat:
    """How a file of pairs is read: its encoding, its delimiter, its header and its columns."""

    decoded: DecodedText
    delimiter: str
    header: _Header
    titles: tuple[str, ...]  # from the header, or "Column 1" and so on
    usual: tuple[int, int]  # the likely columns of source and target, from 0

    @property
    def has_choice(self) -> bool:
        """Whether there are more than a source and a target."""
        return len(self.titles) > 2

    def without_text(self) -> Self:
        """Return the format without the file's text, to be kept."""
        return replace(self, decoded=replace(self.decoded, text=""))

    @property
    def languages(self) -> tuple[str, str] | None:
        """The codes of the languages in the usual columns, if the header names both."""
        named = [_language_of(self.titles[place]) for place in self.usual] if self.header.is_header else []
        codes = [language.code for language in named if language]
        return (codes[0], codes[1]) if len(codes) == 2 else None


def recognize_format(
    data: bytes, name: str = "", encoding: str = "", has_header: bool | None = None
) -> FileFormat:
    """Recognize how a file is to be read. Rows of different lengths, as from an unquoted comma, count as two columns.

    Args:
        data: the whole file.
        name: the file's name in error messages, if it has one.
        encoding: the encoding, if the user has chosen it; empty to recognize it.
        has_header: whether the first row is a header, if the user has said so; None to recognize it.

    Raises:
        InputError: the bytes are not text, or there are too many columns.
    """
    name = name or _("the file")
    decoded = _decode(data, name, encoding)
    if said := _SEPARATOR.match(decoded.text):
        decoded = replace(decoded, text=decoded.text[said.end() :])
    delimiter = said[1] if said else _recognize_delimiter(decoded.text)
    rows = _first_rows(decoded.text, delimiter)
    header = _judge_header(rows)
    if has_header is not None and rows:
        header = _Header(header.row, has_header, True)
    titles, usual = _find_columns(rows, header.is_header, name)
    return FileFormat(decoded, delimiter, header, titles, usual)


def read_pairs(
    data: bytes,
    name: str = "",
    max_pairs: int = MAX_PAIRS,
    max_bytes: int = MAX_BYTES,
    columns: tuple[int, int] | None = None,
    read_as: FileFormat | None = None,
) -> list[Pair]:
    """Read sentence pairs, one per row, from the bytes of a file; there is at least one, and no side is empty.

    Encoding, delimiter (tab, comma, semicolon or |) and a header row are recognized. A header can name two of several
    columns. Otherwise columns after the second are ignored after a tab (Anki's attribution), else refused.

    Args:
        data: the whole file.
        name: the file's name in error messages, if it has one.
        max_pairs: the largest number of pairs allowed.
        max_bytes: the largest file size allowed.
        columns: the columns of source and target, from 0, if the user has chosen them; all others are ignored.
        read_as: the format from `recognize_format`; None recognizes it.

    Raises:
        InputError: the file is not text, has no pairs or too many, or has rows that are not pairs; the message has
            their line numbers.
    """
    name = name or _("the file")
    if len(data) > max_bytes:
        raise InputError(
            _("{file} must have at most {most} MiB. Received: {received} MiB.").format(
                file=name, most=number(max_bytes / 2**20, ",.0f"), received=number(len(data) / 2**20, ",.1f")
            )
        )
    found = read_as or recognize_format(data, name)
    if columns is None and found.header.is_header and found.has_choice:
        columns = found.usual
    delimiter = found.delimiter
    pairs: list[Pair] = []
    problems: list[str] = []
    rows = islice(_read_rows(found.decoded.text, delimiter), int(found.header.is_header), None)
    for line, cells in rows:
        sides = cells if columns is None else [cells[place] for place in columns if place < len(cells)]
        if problem := _problem_of(line, sides, cells, delimiter, columns):
            received = f"{delimiter.join(cells)!r:.80}"
            problems.append(_("{problem} Received: {received}").format(problem=problem, received=received))
            if len(problems) > _PROBLEMS_SHOWN:
                problems[-1] = _("… and more.")
                break
        elif len(pairs) == max_pairs:
            raise InputError(
                _("{file} must have at most {most} pairs. Received: more than that.").format(
                    file=name, most=number(max_pairs, ",")
                )
            )
        else:
            source, target = (_BEFORE_ESCAPED.sub("", side).strip() for side in sides[:2])
            pairs.append(Pair(source, target))
    if problems:
        raise InputError("\n".join((_("{file} has rows that are not pairs.").format(file=name), *problems)))
    if not pairs:
        raise InputError(
            _("{file} must have a sentence and its translation on each row. Received: no pairs.").format(
                file=name
            )
        )
    return pairs


def _problem_of(
    line: int, sides: Sequence[str], cells: Sequence[str], delimiter: str, columns: tuple[int, int] | None
) -> str:
    """Return what is wrong with the row at a line, or "" for a valid row."""
    if columns is not None and len(sides) < 2:
        return _("Row {row} has {count} columns; column {column} was chosen.").format(
            row=line, count=len(cells), column=max(columns) + 1
        )
    if len(sides) == 1:
        return _("Row {row} has 1 column; each row needs two: source, target.").format(row=line)
    if len(sides) > 2 and delimiter != "\t":
        return _(
            "Row {row} has {count} columns; each row needs two: source, target. Put a sentence "
            'with "{delimiter}" in it between quotation marks.'
        ).format(row=line, count=len(cells), delimiter=delimiter)
    empty_side = (
        _("Row {row} has an empty source: fill it in, or delete the row."),
        _("Row {row} has an empty target: fill it in, or delete the row."),
    )
    problems = (problem for problem, text in zip(empty_side, sides, strict=False) if not text)
    return next(problems, "").format(row=line)


def write_pairs(pairs: Iterable[Pair]) -> str:
    """Write pairs as CSV with the header source,target, for `read_pairs`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("source", "target"))
    writer.writerows((escape_formula(pair.source), escape_formula(pair.target)) for pair in pairs)
    return text.getvalue()


def escape_formula(cell: str) -> str:
    """Escape a cell that a spreadsheet would run as a formula; `read_pairs` removes the escape."""
    return _BEFORE_FORMULA.sub("'", cell)


def _decode(data: bytes, name: str, encoding: str) -> DecodedText:
    """Decode the bytes of a file, or raise an InputError that says what the file looks like and what to do."""
    for magic, problem in _MAGIC.items():
        if data.startswith(magic):
            raise InputError(_(problem).format(file=name))
    is_utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if b"\0" in data and not is_utf_16 and not encoding:
        raise InputError(
            _("{file} looks like a binary file, not like text; save it as CSV (UTF-8) and use that.").format(
                file=name
            )
        )
    decoded = decode_text(data, encoding)
    if decoded is None:
        raise InputError(
            _("The encoding of {file} was not recognized; save it as CSV (UTF-8) and use that.").format(
                file=name
            )
        )
    return decoded


def _recognize_delimiter(text: str) -> str:
    """Return the delimiter with which the first rows look most like pairs; a known header settles it."""

    def score(delimiter: str) -> tuple[bool, bool, int, int]:
        rows = _first_rows(text, delimiter)
        several = sum(len(cells) >= 2 for cells in rows)
        exactly_two = sum(len(cells) == 2 for cells in rows)
        tab_wins = delimiter == "\t" and 2 * several >= len(rows) > 0
        header = _judge_header(rows)
        return header.is_header and header.is_certain, tab_wins, exactly_two, several

    # max() keeps the first of equals; without any delimiter, messages assume a comma.
    best = max(_DELIMITERS, key=score)
    return best if score(best)[-1] else ","


def _first_rows(text: str, delimiter: str) -> list[list[str]]:
    """Return the first rows, up to a broken one, which `read_pairs` reports."""
    rows: list[list[str]] = []
    with contextlib.suppress(InputError):
        rows.extend(cells for line, cells in islice(_read_rows(text, delimiter), _ROWS_LOOKED_AT))
    return rows


def _read_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of its first line and the cells of each row that is not blank, without empty last cells."""
    lines = io.StringIO(text, newline=None)
    for line, row in _tabbed_rows(lines) if delimiter == "\t" else _quoted_rows(lines, delimiter):
        cells = [cell.strip() for cell in row]
        while len(cells) > 2 and not cells[-1]:
            cells.pop()  # spreadsheets end rows with empty columns
        if any(cells):
            yield line, cells


def _quoted_rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            _(
                "Row {row} must close each quotation mark that opens a column, and double those "
                'inside it (""). Received: {error}.'
            ).format(row=line, error=error)
        ) from error


def _tabbed_rows(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield rows of tab-separated text, one per line, where quotation marks mostly belong to the sentences.

    Anki's files quote nothing, so a mark that opens a cell must not swallow the rows below it. Spreadsheets do quote,
    so marks around a whole cell are removed.
    """
    for line, content in enumerate(lines, start=1):
        yield line, [_unquote(cell.strip()) for cell in content.split("\t")]


def _unquote(cell: str) -> str:
    # A spreadsheet doubles the marks inside a quoted cell; single ones mean that the cell is not quoted.
    if len(cell) >= 2 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace('""', ""):
        return cell[1:-1].replace('""', '"')
    return cell


def _find_columns(
    rows: Sequence[Sequence[str]], has_header: bool, name: str
) -> tuple[tuple[str, ...], tuple[int, int]]:
    """Return the titles of the columns, and which two are usually source and target."""
    if len(most := max(rows, key=len, default=[])) > MAX_COLUMNS:
        raise InputError(
            _("{file} has {count} columns; at most {most} are read. Keep the two with the sentences.").format(
                file=name, count=number(len(most), ","), most=MAX_COLUMNS
            )
        )
    has_all_titles = has_header and len(most) == len(rows[0])  # a shorter row ends in empty cells
    alike = len(rows) > 1 and (has_all_titles or len({len(cells) for cells in rows}) == 1)
    number_of_columns = len(rows[0]) if alike else 2
    titles = tuple(_("Column {column}").format(column=place + 1) for place in range(number_of_columns))
    if not has_header:
        return titles, (0, 1)
    if alike or len(rows[0]) == len(titles):
        titles = tuple(cell or title for cell, title in zip(rows[0], titles, strict=True))
    # If rows have different lengths, only two columns count, and a header may name others.
    named = [place for place, cell in enumerate(rows[0][: len(titles)]) if _meaning(cell) is not None]
    # "id" and "no" are Indonesian and Norwegian, or a number before two languages.
    if len(named) > 2:
        named.sort(key=lambda place: len(_header_word(rows[0][place])) <= _CODE_CHARACTERS)
        named = sorted(named[:2])
    return titles, ((named[0], named[1]) if len(named) > 1 else (0, 1))


def _judge_header(rows: Sequence[Sequence[str]]) -> _Header:
    """Judge whether the first row is a header, by the languages that it names.

    Two cells that mean two different things are one: "français,anglais" is, the pair "français,french" of a word list is
    not. With more columns, two known ones are enough: "number, French, English, notes". One name of a language beside a
    short cell is a header in doubt. One code is not, since it may be a word, and neither is a row without a full stop
    above rows that have one; both are in doubt.
    """
    if not rows:
        return _Header((), False, True)
    row = tuple(rows[0])
    meanings = {cell: _meaning(cell) for cell in row}
    named = [cell for cell, meaning in meanings.items() if meaning is not None]
    num_different = len({meanings[cell] for cell in named})
    if num_different >= 2 and (len(row) > 2 or len(named) == 2):
        return _Header(row, True, True)
    if not all(map(_is_short, row)):
        return _Header(row, False, True)
    if len(named) == len(meanings):  # one meaning in each cell: the first pair of a word list
        return _Header(row, False, True)
    has_name = any(len(_header_word(cell)) > _CODE_CHARACTERS for cell in named)
    return _Header(row, has_name, not (named or _only_others_end(rows)))


def _is_short(cell: str) -> bool:
    """Return whether a cell may be one of a header: a few words that are no sentence."""
    return len(cell.split()) <= _MAX_HEADER_WORDS and not _ENDS_A_SENTENCE.search(cell)


def _only_others_end(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether all rows below a first one without full stops have them."""
    below = [cell for cells in rows[1:] for cell in cells[:2]]
    return len(rows) > 2 and all(_ENDS_A_SENTENCE.search(cell) for cell in below)


def _meaning(cell: str) -> str | None:
    """Return the meaning of a header cell: the code of a language, "source" or "target"."""
    language = _language_of(cell)
    return _SIDES.get(_header_word(cell)) or (language.code if language else None)


def _language_of(cell: str) -> WrittenLanguage | None:
    return find_language(_header_word(cell)) or find_language(cell)


def _header_word(cell: str) -> str:
    """Return what tells the meaning of a header cell: "fr-FR" is French, "source_text" the source."""
    return re.split(r"[_-]", cell.casefold(), maxsplit=1)[0]
