from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages.components.app.content import GLOSSARY, Term, read_entries, terms_needed_on, terms_of
from pages.components.app.menu import PAGES, SECTIONS


def test_every_entry_is_short_and_names_its_source_and_a_page() -> None:
    addresses = {page.address for page in PAGES}
    for term in GLOSSARY:
        assert len(re.findall(r"[.;:]( |$)", term.meaning)) <= 3, term
        assert re.search(r"section|figure|not in the paper|[12][09][0-9][0-9]", term.source), term
        assert {term.page, *term.also} <= addresses, term


def test_every_explaining_page_has_terms() -> None:
    without = [page.title for page in SECTIONS["Understand"] if not terms_of(page.address)]
    assert without == [], "give one an entry in pages/content/glossary.toml, with the page's address"
    assert "**log P, nat**" in terms_needed_on("translate")


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ('[[term]]\nname = "token"', "glossary.toml, entry 'token'.*meaning"),
        ('[[term]]\nname = "a"\nmeaning = "b"\nsource = "c"\npage = "d"\n' * 2, "entry 'a': stands twice"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, entries: str, said: str) -> None:
    (tmp_path / "glossary.toml").write_text(entries, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        read_entries("glossary.toml", "term", Term, tmp_path)
