import codecs
import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora.delimited import MAX_COLUMNS, escape_formula, read_pairs, recognize_format, write_pairs
from core.errors import InputError
from core.records.text import Pair
from tests.conftest import numbers

TWO = [Pair("bonjour", "hello"), Pair("où est la gare", "where is the station")]

# What a person may type on one side: anything printable, with line breaks and tabs inside.
sides = (
    st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), min_size=1)
    .map(str.strip)
    .filter(lambda text: text and not text.startswith("\ufeff"))
)


def read(text: str) -> list[Pair]:
    return read_pairs(text.encode())


@given(st.lists(st.builds(Pair, sides, sides), min_size=1, max_size=5))
def test_what_is_written_is_read_back(pairs: list[Pair]) -> None:
    assert read(write_pairs(pairs)) == pairs


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://e.org")', "+1", "-1+2", "@SUM(A1)", "\t=1", " =1", "'=1", "''+", "＝1", "＋1", "－1", "＠A",
        "\ufeff=1", "\u200b=1", "x;=cmd|' /C calc'!A0;y", "x;-cmd|' /C calc'!A0;y", "x; =1", "x\n=1", "x\t+1",
        "x; + (1)", "a;'=1",
    ],
)  # fmt: skip
def test_no_pair_runs_as_a_formula(text: str) -> None:
    """Nor where a spreadsheet begins a new cell at a semicolon, as French and German ones do."""
    pairs = [Pair(text, "a"), Pair("a", text)]
    cells = [cell for row in csv.reader(io.StringIO(write_pairs(pairs))) for cell in row]
    for part in re.split(r"[;\t\n]", "\n".join(cells)):
        assert not re.match(r"[\s\ufeff\u200b]*[=+\-@＝＋－＠]", part)
    assert read(write_pairs(pairs)) == [Pair(*(side.strip() for side in (p.source, p.target))) for p in pairs]


@pytest.mark.parametrize("text", ["Hello ;-)", "so; we go", "1; 2", "a - b"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert escape_formula(text) == text


def test_short_files_of_windows_and_other_alphabets() -> None:
    assert read_pairs(codecs.BOM_UTF16_BE + "oui\tyes".encode("utf-16-be")) == [Pair("oui", "yes")]
    assert read_pairs("bonjour;hello\noù est la gare;where is the station".encode("cp1252")) == TWO
    assert read_pairs("l’œuvre – 5 €,the work\nça,it".encode("cp1252"))[0].source == "l’œuvre – 5 €"
    russian = "привет,hello\nкак дела,how are you\nя студент,i am a student\nгде вокзал,where is the station"
    assert read_pairs(russian.encode("cp1251"))[1] == Pair("как дела", "how are you")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a\tb\nc\td", [("a", "b"), ("c", "d")]),
        ("a|b\nc|d", [("a", "b"), ("c", "d")]),
        ("oui, merci\tyes, thank you\nnon\tno", [("oui, merci", "yes, thank you"), ("non", "no")]),
        ("oui, merci;yes, thank you\nnon;no", [("oui, merci", "yes, thank you"), ("non", "no")]),
        ('"a, b", "c, d"\n"e\nf","il dit ""non"""\n', [("a, b", "c, d"), ("e\nf", 'il dit "non"')]),
        ('"A", b.\t"C," d.\n"Va\t"Go\n"e"\t"f ""g"""', [('"A", b.', '"C," d.'), ('"Va', '"Go'), ("e", 'f "g"')]),
        ("Go.\tVa !\tCC-BY 2.0 (France) Attribution: tatoeba.org #2877272", [("Go.", "Va !")]),
        ("\n  a , b ,,\n\n , \n,,\nc,d\n\n", [("a", "b"), ("c", "d")]),
        ("it is late,es ist spät\na,b", [("it is late", "es ist spät"), ("a", "b")]),
        ("a,b\nsource,target", [("a", "b"), ("source", "target")]),
    ],
)  # fmt: skip
def test_how_files_are_cut(text: str, pairs: list[tuple[str, str]]) -> None:
    assert read(text) == [Pair(*sides) for sides in pairs]


@pytest.mark.parametrize(
    ("first", "is_header", "is_certain", "languages"),
    [
        ("german,polish", True, True, ("de", "pl")),
        ("niemiecki,polski", True, True, ("de", "pl")),
        ("de-DE,pl_PL", True, True, ("de", "pl")),
        ("Čeština,українська", True, True, ("cs", "uk")),
        ("german,tłumaczenie", True, False, None),
        ("zdanie,tłumaczenie", False, False, None),
        ("no,nein", False, False, None),
        ("polish,polski", False, True, None),  # of a list of languages
        ("I speak German.,Mówię po niemiecku.", False, True, None),
    ],
)
def test_which_first_rows_are_headings(
    first: str, is_header: bool, is_certain: bool, languages: tuple[str, str] | None
) -> None:
    data = f"{first}\nIch bin müde.,Jestem zmęczony.\nDanke.,Dziękuję.\n".encode()
    found = recognize_format(data)
    assert (found.header.is_header, found.header.is_certain) == (is_header, is_certain)
    assert found.languages == languages
    assert len(read_pairs(data, read_as=found)) == 3 - is_header
    for has_header in (True, False):
        told = recognize_format(data, has_header=has_header)
        assert len(read_pairs(data, read_as=told)) == 3 - has_header


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("oui,yes\n\nbonjour\n", "3.*1.*'bonjour'"),
        ("oui,yes\na,b,of course\n", r'2.*3.*","'),
        ("oui,yes\n,hello\n", "2.*',hello'"),
        ('"a\nb",c\nd\n', "3.*1"),  # a row is named by its line in the file
        ('oui,yes\nbonjour,"hello\noui,yes\n', "2"),
        ("oui,yes\n" + "x" * 10_000, r"^.{,300}$"),
        ("source,target\n", ""),
    ],
)  # fmt: skip
def test_wrong_rows_are_named(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert re.search(words, str(caught.value), re.DOTALL)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04rest", "mine.*Excel.*CSV"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "mine.*CSV"),
        (codecs.BOM_UTF16_LE + b"a", "mine.*CSV"),
        (b"a,b\n" * 4, "3"),
        (b"a,b\n" * 500_000, r"mine.*1.*1\.9"),
    ],
)
def test_files_that_are_no_text_or_too_large(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_pairs(data, "mine", max_pairs=3, max_bytes=2**20)


@pytest.mark.parametrize(
    ("text", "titles", "usual"),
    [
        ("bonjour,hello\n", ("1", "2"), (0, 1)),
        ("no,English,French\n1,hello,bonjour\n", ("no", "English", "French"), (1, 2)),
        ("id,English\nhalo,hello\n", ("id", "English"), (0, 1)),  # Indonesian
        ("1;bonjour;hello\n2;merci;thanks\n", ("1", "2", "3"), (0, 1)),
        ("oui, merci,yes\nbonjour,hello\n", ("1", "2"), (0, 1)),  # a stray comma
    ],
)
def test_which_columns_a_file_has(text: str, titles: tuple[str, ...], usual: tuple[int, int]) -> None:
    found = recognize_format(text.encode())
    shown = tuple("".join(numbers(title)) or title for title in found.titles)
    assert (shown, found.usual, found.has_choice) == (titles, usual, len(titles) > 2)


def test_a_last_column_may_be_empty_in_some_rows() -> None:
    text = "id,German,English,note\n1,hallo,hello,to a friend\n2,danke,thanks,\n"
    assert recognize_format(text.encode()).has_choice
    assert read(text) == [Pair("hallo", "hello"), Pair("danke", "thanks")]


def test_pairs_from_the_columns_chosen_or_named() -> None:
    assert read("nr\tGerman\tEnglish\n1\thallo\thello") == [Pair("hallo", "hello")]
    text = b"no,English,French\n1,hello,bonjour\n2,thanks,merci\n"
    assert read_pairs(text, columns=(2, 1)) == [Pair("bonjour", "hello"), Pair("merci", "thanks")]
    with pytest.raises(InputError, match=r"3.*2.*3"):
        read_pairs(text[:-6], columns=(2, 1))
    with pytest.raises(InputError, match=r"51.*50"):
        recognize_format(b",".join([b"a"] * (MAX_COLUMNS + 1)))
