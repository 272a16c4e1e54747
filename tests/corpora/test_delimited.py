import codecs
import csv
import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora import toy
from core.corpora.corpus import CorpusError
from core.corpora.delimited import (
    MAX_COLUMNS,
    MAX_PAIRS,
    FileColumns,
    columns_of,
    read_pairs,
    without_formula,
    write_pairs,
)
from core.records import Pair

TWO = [Pair("bonjour", "hello"), Pair("où est la gare", "where is the station")]

# What a person may type on one side: anything printable, with line breaks and tabs inside.
sides = (
    st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), min_size=1)
    .map(str.strip)
    .filter(lambda text: text and not text.startswith("\ufeff"))
)
lists_of_pairs = st.lists(st.builds(Pair, sides, sides), min_size=1, max_size=5)


def read(text: str, name: str = "the file", max_pairs: int = MAX_PAIRS) -> list[Pair]:
    return read_pairs(text.encode(), name, max_pairs)


@given(lists_of_pairs)
def test_what_is_written_is_read_back(pairs: list[Pair]) -> None:
    assert read(write_pairs(pairs)) == pairs


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://e.org")',
        "+1",
        "-1+2",
        "@SUM(A1)",
        "\t=1",
        " =1",
        "'=1",
        "''+",
        "＝1",
        "＋1",
        "－1",
        "＠A",
        "\ufeff=1",
        "\u200b=1",
        "x;=cmd|' /C calc'!A0;y",
        "x;-cmd|' /C calc'!A0;y",
        "x; =1",
        "x\n=1",
        "x\t+1",
        "x; + (1)",
        "a;'=1",
    ],
)
def test_no_pair_runs_as_a_formula(text: str) -> None:
    """Nor where a spreadsheet begins a new cell at a semicolon, as French and German ones do."""
    pairs = [Pair(text, "a"), Pair("a", text)]
    cells = [cell for row in csv.reader(io.StringIO(write_pairs(pairs))) for cell in row]
    for part in re.split(r"[;\t\n]", "\n".join(cells)):
        assert not re.match(r"[\s\ufeff\u200b]*[=+\-@＝＋－＠]", part)
    assert read(write_pairs(pairs)) == [Pair(*(side.strip() for side in (p.source, p.target))) for p in pairs]


@pytest.mark.parametrize("text", ["Hello ;-)", "so; we go", "1; 2", "a - b"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert without_formula(text) == text


def test_very_many_columns_are_no_choice() -> None:
    row = ",".join(f"a{n}" for n in range(MAX_COLUMNS))
    assert len(columns_of(f"{row}\n{row}".encode()).titles) == MAX_COLUMNS
    with pytest.raises(CorpusError, match=r"^pairs\.csv has 51 columns; at most 50 are read\."):
        columns_of(f"{row},b\n{row},b".encode(), "pairs.csv")


def test_the_toy_pairs_survive_the_round_trip() -> None:
    assert read(write_pairs(toy.PAIRS)) == list(toy.PAIRS)
    assert write_pairs(TWO[:1]) == "source,target\nbonjour,hello\n"


@pytest.mark.parametrize(
    "data",
    [
        "bonjour,hello\noù est la gare,where is the station\n".encode(),
        codecs.BOM_UTF8 + "bonjour,hello\noù est la gare,where is the station".encode(),
        "bonjour\thello\noù est la gare\twhere is the station".encode("utf-16"),
        codecs.BOM_UTF16_BE + "bonjour,hello\noù est la gare,where is the station".encode("utf-16-be"),
        "bonjour;hello\r\noù est la gare;where is the station\r\n".encode("latin-1"),
        "bonjour;hello\r\noù est la gare;where is the station\r\n".encode("cp1252"),
        "bonjour;hello\roù est la gare;where is the station\r".encode("mac_roman"),
    ],
    ids=["utf-8", "utf-8 bom", "utf-16", "utf-16 be", "latin-1", "windows-1252", "mac"],
)
def test_encodings(data: bytes) -> None:
    assert read_pairs(data) == TWO


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252", "mac_roman", "utf-16"])
def test_the_toy_pairs_come_out_right_in_every_western_encoding(encoding: str) -> None:
    assert read_pairs(write_pairs(toy.PAIRS).encode(encoding)) == list(toy.PAIRS)


def test_windows_typography() -> None:
    assert read_pairs("l’œuvre – 5 €,the work\nça,it".encode("cp1252"))[0].source == "l’œuvre – 5 €"


def test_other_alphabets_are_left_to_the_statistics() -> None:
    russian = "привет,hello\nкак дела,how are you\nя студент,i am a student\nгде вокзал,where is the station"
    assert read_pairs(russian.encode("cp1251"))[1] == Pair("как дела", "how are you")


def test_composed_and_decomposed_letters_are_kept_as_they_are() -> None:
    decomposed = unicodedata.normalize("NFD", "où")
    assert read(f"{decomposed},where") == [Pair(decomposed, "where")]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "|"])
def test_delimiters(delimiter: str) -> None:
    assert read(f"bonjour{delimiter}hello\noù est la gare{delimiter}where is the station") == TWO


def test_a_tab_wins_over_commas_in_the_sentences() -> None:
    assert read("oui, merci\tyes, thank you\nnon, merci\tno, thank you") == [
        Pair("oui, merci", "yes, thank you"),
        Pair("non, merci", "no, thank you"),
    ]


def test_a_semicolon_wins_where_commas_give_no_pairs() -> None:
    assert read("oui, merci;yes, thank you\nbonjour;hello") == [
        Pair("oui, merci", "yes, thank you"),
        Pair("bonjour", "hello"),
    ]


def test_quoted_fields_with_delimiters_line_breaks_and_quotation_marks() -> None:
    assert read('"oui, merci", "yes, thank you"\n"a\nb","il dit ""non"""\n') == [
        Pair("oui, merci", "yes, thank you"),
        Pair("a\nb", 'il dit "non"'),
    ]


def test_quotation_marks_between_tabs_swallow_no_rows() -> None:
    assert read('"Salut", dit-il.\t"Hi," he said.\n"Va\t"Go\n"oui"\t"he said ""yes"""') == [
        Pair('"Salut", dit-il.', '"Hi," he said.'),
        Pair('"Va', '"Go'),
        Pair("oui", 'he said "yes"'),
    ]


def test_columns_after_the_second_are_ignored_between_tabs() -> None:
    assert read("Go.\tVa !\tCC-BY 2.0 (France) Attribution: tatoeba.org #2877272") == [Pair("Go.", "Va !")]


@pytest.mark.parametrize(
    "header",
    [
        "source,target",
        "Source;Target",
        "french,english",
        "fr|en",
        "src\ttgt",
        "français,anglais",
        "pt,en",
        "fr-FR,en-GB",
        "source_text,target_text",
        "\n\nSOURCE , TARGET",
    ],
)
def test_headers_are_skipped(header: str) -> None:
    delimiter = next(mark for mark in "\t,;|" if mark in header)
    assert read(f"{header}\nbonjour{delimiter}hello") == [Pair("bonjour", "hello")]


@pytest.mark.parametrize("first", ["français,french", "bonjour,english", "it is late,es ist spät"])
def test_a_first_row_that_is_a_pair_is_kept(first: str) -> None:
    source, target = first.split(",")
    assert read(f"{first}\nbonjour,hello")[0] == Pair(source, target)


def test_a_header_further_down_is_a_pair() -> None:
    assert read("bonjour,hello\nsource,target")[1] == Pair("source", "target")


def test_blank_rows_empty_last_columns_and_spaces_are_no_matter() -> None:
    assert read("\n  bonjour , hello ,,\n\n , \n,,\noù est la gare,where is the station\n\n") == TWO


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "merci,thank you\n\nbonjour\n",
            r"Row 3 has 1 column; each row needs two: source, target\. Received: 'bonjour'",
        ),
        ("bonjour\nmerci\n", r"Row 1 has 1 column"),
        (
            "merci,thank you\noui,yes,of course\n",
            r'Row 2 has 3 columns; .* with "," in it between quotation marks\. '
            r"Received: 'oui,yes,of course'",
        ),
        ("merci,thank you\n,hello\n", r"Row 2 has an empty source\. Received: ',hello'"),
        ("merci\tthank you\nbonjour\t\n", r"Row 2 has an empty target"),
        ('"a\nb",c\nd\n', r"Row 3 has 1 column"),  # a row is named by its line in the file
        ('merci,thank you\nbonjour,"hello\noui,yes\n', r"Row 2 must close each quotation mark"),
        ('merci,thank you\nbonjour,"hello" said\n', r"Row 2 must close each quotation mark"),
    ],
)
def test_wrong_rows_are_named(text: str, words: str) -> None:
    with pytest.raises(CorpusError, match=words):
        read(text)


def test_at_most_five_problems_are_listed() -> None:
    with pytest.raises(CorpusError) as caught:
        read("oui,yes\n" + "bonjour\n" * 7, name="mine.csv")
    lines = str(caught.value).split("\n")
    assert lines[0] == "mine.csv has rows that are not pairs."
    assert [line.split(" has ")[0] for line in lines[1:6]] == ["Row 2", "Row 3", "Row 4", "Row 5", "Row 6"]
    assert lines[6:] == ["… and more."]


def test_a_long_row_is_shortened_in_the_message() -> None:
    with pytest.raises(CorpusError) as caught:
        read("oui,yes\n" + "x" * 10_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["", "\n \n", "source,target\n"])
def test_no_pairs_at_all(text: str) -> None:
    with pytest.raises(CorpusError, match=r"mine\.csv must have a sentence and .* Received: no pairs"):
        read(text, name="mine.csv")


def test_the_limit_is_stated() -> None:
    text = "bonjour,hello\n" * 3
    assert len(read(text, max_pairs=3)) == 3
    with pytest.raises(CorpusError, match=r"at most 2 pairs"):
        read(text, max_pairs=2)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04rest", r"mine looks like an Excel file; save it as CSV \(UTF-8\) and use that"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", r"looks like an Excel file"),
        (b"%PDF-1.7", r"looks like a PDF file"),
        (b"\x1f\x8b\x08rest", r"looks like a compressed file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", r"looks like a binary file, not like text; save it as CSV"),
        (codecs.BOM_UTF16_LE + b"a", r"The encoding of mine was not recognized; save it as CSV"),
    ],
)
def test_files_that_are_no_text(data: bytes, words: str) -> None:
    with pytest.raises(CorpusError, match=words):
        read_pairs(data, name="mine")


def test_a_file_that_is_too_large() -> None:
    with pytest.raises(CorpusError, match=r"mine\.csv must have at most 1 MiB\. Received: 1\.9 MiB\."):
        read_pairs(b"a,b\n" * 500_000, "mine.csv", max_bytes=2**20)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("bonjour,hello\n", FileColumns(("Column 1", "Column 2"), False, (0, 1))),
        ("français,anglais\nbonjour,hello\n", FileColumns(("français", "anglais"), True, (0, 1))),
        ("no,English,French\n1,hello,bonjour\n", FileColumns(("no", "English", "French"), True, (1, 2))),
        (
            "id,German,English,note\n1,hallo,hello,x\n",
            FileColumns(("id", "German", "English", "note"), True, (1, 2)),
        ),
        ("id,English\nhalo,hello\n", FileColumns(("id", "English"), True, (0, 1))),  # Indonesian
        (
            "1;bonjour;hello\n2;merci;thanks\n",
            FileColumns(("Column 1", "Column 2", "Column 3"), False, (0, 1)),
        ),
        (
            "oui, merci,yes\nbonjour,hello\n",
            FileColumns(("Column 1", "Column 2"), False, (0, 1)),
        ),  # a stray comma
        (
            "number,French,English\n1,bonjour,hello\n2,oui,merci,yes\n",
            FileColumns(("Column 1", "Column 2"), True, (0, 1)),
        ),  # one in a file with a header
    ],
)
def test_which_columns_a_file_has(text: str, columns: FileColumns) -> None:
    found = columns_of(text.encode())
    assert found == columns
    assert found.are_a_choice == (len(columns.titles) > 2)


@pytest.mark.parametrize("delimiter", ["\t", ","])
@pytest.mark.parametrize("number", ["nr", "id"])
def test_a_header_chooses_the_columns(number: str, delimiter: str) -> None:
    rows = (number, "German", "English"), ("1", "hallo", "hello"), ("2", "danke", "thanks")
    text = "\n".join(map(delimiter.join, rows))
    assert read(text) == [Pair("hallo", "hello"), Pair("danke", "thanks")]


def test_pairs_from_the_columns_chosen() -> None:
    text = b"no,English,French\n1,hello,bonjour\n2,thanks,merci\n"
    assert read_pairs(text, columns=(2, 1)) == [Pair("bonjour", "hello"), Pair("merci", "thanks")]
    with pytest.raises(CorpusError, match="Row 3 has 2 columns; column 3 was chosen"):
        read_pairs(b"no,English,French\n1,hello,bonjour\n2,thanks\n", columns=(2, 1))
    with pytest.raises(CorpusError, match="Row 2 has an empty target"):
        read_pairs(b"no,English,French\n1,,bonjour\n", columns=(2, 1))
