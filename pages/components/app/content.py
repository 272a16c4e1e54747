"""Texts of pages/content, checked when they are read; each file says what its entries hold."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

CONTENT = Path(__file__).parents[2] / "content"

Entry = TypeVar("Entry")


def read_entries(file: str, table: str, entry_type: type[Entry], folder: Path = CONTENT) -> tuple[Entry, ...]:
    """Return the entries of a file of texts.

    Args:
        file: its name, ending in .toml.
        table: the name of its array of tables.
        entry_type: a dataclass with the field `name`; lists are given to it as tuples.
        folder: where the file is.

    Raises:
        ValueError: an entry lacks a field, has one that is not known, or repeats a name.
    """
    entries: dict[str, Entry] = {}
    for fields in tomllib.loads((folder / file).read_text(encoding="utf-8"))[table]:
        name = fields.get("name")
        if name in entries:
            raise ValueError(f"{file}, entry {name!r}: stands twice")
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
        try:
            entries[name] = entry_type(**values)
        except TypeError as error:
            raise ValueError(f"{file}, entry {name!r}: {error}") from error
    return tuple(entries.values())


@dataclass(frozen=True)
class Term:
    """An entry of the glossary. Texts are Markdown."""

    name: str
    meaning: str  # a sentence or two
    source: str
    page: str  # address of the page that shows it
    also: tuple[str, ...] = ()  # of pages that need it too


GLOSSARY = read_entries("glossary.toml", "term", Term)


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
