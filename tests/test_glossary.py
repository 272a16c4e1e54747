from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.glossary import GLOSSARY, Term, terms_needed_on, terms_of
from pages.components.app.menu import PAGES, SECTIONS

ROOT = Path(__file__).parents[1]
NAMES = [name for term in GLOSSARY for name in term.name.split(", ")]


def test_every_term_stands_once() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 24


@pytest.mark.parametrize("term", GLOSSARY, ids=lambda term: term.name)
def test_an_entry_is_short_and_names_its_source_and_a_page(term: Term) -> None:
    assert term.meaning.endswith(".")
    assert len(re.findall(r"[.;:]( |$)", term.meaning)) <= 3
    assert re.search(r"section|figure|not in the paper|[12][09][0-9][0-9]", term.source)
    assert term.page in {page.address for page in PAGES}


def test_every_explaining_page_has_terms() -> None:
    without = [page.title for page in SECTIONS["Understand"] if not terms_of(page.address)]
    assert without == [], "give one a Term in core/glossary.py, with the page's address"


def test_translate_explains_the_terms_that_decoding_shows() -> None:
    assert "**log P, nat**" in terms_needed_on("translate")
    assert not terms_of("translate"), "each stands once in the list of all pages"


def test_the_readme_of_core_says_none_of_them_again() -> None:
    text = (ROOT / "core" / "README.md").read_text(encoding="utf-8").split("## Words\n")[1]
    theirs = [name for row in re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE) for name in row.split(", ")]
    assert "glossary.py" in text and theirs
    assert not set(theirs) & set(NAMES)
