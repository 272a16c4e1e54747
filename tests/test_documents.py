"""What the documents name is there: links, paths, names, commands, flags, settings; tables, README's example
and the version hold."""

import contextlib
import io
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path

import pytest

from core import __version__
from core.server.settings import PREFIX, Settings
from tests.documents import DOCUMENTS, ROOT, commands, flags, written

README = ROOT / "README.md"
PAST = ("CHANGELOG.md", "pretrained")  # a file and a folder whose documents also name what is gone

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[\w-]+)?\)")
_PATH = re.compile(r"`((?:core|pages|tests|\.github|\.ci|\.devcontainer)/[^`\s*…]*)")
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"`(_?[a-z]\w*_\w+|[A-Z][a-z]\w+)`")
_SETTING = re.compile(rf"\b(?:{PREFIX}|(?=MAX_\w))([A-Z][A-Z_]+)\b")

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))


@cache
def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def anchors(file: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", _FENCED.sub("", read(file)), re.MULTILINE)
    return {"#" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@cache
def words_of_the_code() -> set[str]:
    files = [file for room in ("core", "pages", "tests") for file in (ROOT / room).rglob("*")]
    sources = [file for file in files if file.suffix in (".py", ".toml")]
    words = {word for file in sources for word in re.findall(r"\w+", f"{file} {read(file)}")}
    return words | {file.name for file in ROOT.iterdir()}


@every_document
def test_links_paths_and_names_are_there(document: Path) -> None:
    text = read(document)
    for path, anchor in _LINK.findall(text):
        target = (document.parent / path) if path else document
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), path + anchor
    if not {*PAST} & {*document.parts}:
        paths = [path for path in _PATH.findall(text) if "NAME" not in path]
        assert [path for path in paths if not (ROOT / path).exists()] == []
        assert set(_NAME.findall(text)) - words_of_the_code() == set()


@every_document
def test_commands_and_flags_are_those_of_the_parser(document: Path) -> None:
    known = {name: flags(parser) for name, _, parser in commands()}
    for line in re.findall(r"python -m core ([a-z][^`\n]*)", read(document)):
        name, *arguments = shlex.split(line)
        assert {each for each in arguments if each[:2] == "--"} <= {*known[name], "--help"}, line


@every_document
def test_settings_and_tables_are_those_of_the_code(document: Path) -> None:
    text = read(document)
    assert {*_SETTING.findall(text)} <= {name.upper() for name in Settings.__dataclass_fields__} | {"DATA"}
    assert text == written(document), "python -m tests.documents"
    assert "TODO" not in text


@pytest.mark.slow
def test_the_example_prints_what_the_readme_says() -> None:
    blocks = dict(_FENCED.findall(read(README)))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(blocks["python"], {})
    assert printed.getvalue() == blocks["text"]


def test_the_version_and_the_citation_are_the_same_everywhere() -> None:
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    cited = dict(re.findall(r"(\w+) = \{+(.+?)\}+", dict(_FENCED.findall(read(README)))["bibtex"]))
    citation = dict(re.findall(r'([\w-]+): "?(.+?)"?$', read(ROOT / "CITATION.cff"), re.MULTILINE))
    assert project["version"] == cited["version"] == citation["version"] == __version__
    assert (cited["title"], cited["author"]) == (citation["title"], citation["name"])
