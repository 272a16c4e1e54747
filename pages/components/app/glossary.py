"""The field's terms, read from pages/content/glossary.toml, which says what each entry holds."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).parents[2] / "content" / "glossary.toml"


@dataclass(frozen=True)
class Term:
    """An entry of the glossary. Texts are Markdown."""

    name: str
    meaning: str  # a sentence or two
    source: str
    page: str  # address of the page that shows it
    also: tuple[str, ...] = ()  # of pages that need it too


def read_glossary(path: Path) -> tuple[Term, ...]:
    """Return the terms of a file.

    Raises:
        ValueError: an entry lacks a field, has one that is not known, or repeats a name.
    """
    terms: dict[str, Term] = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["term"]:
        name = entry.get("name")
        try:
            term = Term(**{**entry, "also": tuple(entry.get("also", ()))})
        except TypeError as error:
            raise ValueError(f"{path.name}, entry {name!r}: {error}") from error
        if term.name in terms:
            raise ValueError(f"{path.name}, entry {name!r}: stands twice")
        terms[term.name] = term
    return tuple(terms.values())


GLOSSARY = read_glossary(_FILE)


def terms_of(page: str) -> str:
    """Return the entries that a page shows, as a Markdown list; empty where it shows none.

    Args:
        page: its address.
    """
    return _listed(term for term in GLOSSARY if term.page == page)


def terms_needed_on(page: str) -> str:
    """Return the entries that a page shows or needs, as a Markdown list; empty where there are none.

    Args:
        page: its address.
    """
    return _listed(term for term in GLOSSARY if page in (term.page, *term.also))


def _listed(terms: Iterable[Term]) -> str:
    return "\n".join(f"- **{term.name}**: {term.meaning} *({term.source})*" for term in terms)
