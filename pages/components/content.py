"""Texts of pages/content, checked when they are read: every message names the file and the entry."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

CONTENT = Path(__file__).parents[1] / "content"
OTHERS = ("flow", "glossary", "lessons", "parts", "roles")  # files that are no page's

Entry = TypeVar("Entry")


def read_toml(file: str, folder: Path = CONTENT) -> dict[str, Any]:
    """Return what a file of texts holds.

    Raises:
        ValueError: it is not TOML; the message has the line.
    """
    try:
        return tomllib.loads((folder / file).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from error


def build(entry_type: type[Entry], values: Mapping[str, Any], where: str) -> Entry:
    """Return a dataclass filled with an entry of a file; lists become tuples.

    Args:
        entry_type: the dataclass.
        values: of the entry.
        where: the file and the entry, for the message.

    Raises:
        ValueError: a field is missing or unknown, or is no text where one is expected.
    """
    try:
        entry = entry_type(
            **{name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}
        )
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from error
    for each in fields(entry):  # type: ignore[arg-type]
        if each.type == "str" and not isinstance(getattr(entry, each.name), str):
            raise ValueError(f"{where}: {each.name} must be a text")
    return entry


def read_entries(file: str, table: str, entry_type: type[Entry], folder: Path = CONTENT) -> tuple[Entry, ...]:
    """Return the entries of a file that is one list.

    Args:
        file: its name, ending in .toml.
        table: the name of its array of tables.
        entry_type: a dataclass with the field `name`.
        folder: where the file is.

    Raises:
        ValueError: as of `build`, or an entry repeats a name.
    """
    entries: dict[str, Entry] = {}
    for values in read_toml(file, folder)[table]:
        name = values.get("name")
        if name in entries:
            raise ValueError(f"{file}, entry {name!r}: stands twice")
        entries[name] = build(entry_type, values, f"{file}, entry {name!r}")
    return tuple(entries.values())


@dataclass(frozen=True)
class Formula:
    """A formula and where it stands."""

    latex: str
    source: str  # "Vaswani et al. 2017, section 3.5"


@dataclass(frozen=True)
class ChoiceExercise:
    """A question with a few answers to choose from, one of them right. Texts are Markdown."""

    key: str  # of its widgets, once in the whole app; begins with "ask_"
    question: str
    answer: str
    why: str
    wrong: Mapping[str, str]  # each wrong answer, and the hint that follows it
    closing: int = 0  # its place among the questions that close a lesson with this page; 0: it never does

    @property
    def shown_answer(self) -> str:
        return self.answer

    @property
    def options(self) -> tuple[str, ...]:
        """All answers in alphabetical order, which says nothing about which one is right."""
        return tuple(sorted((self.answer, *self.wrong), key=str.casefold))

    def is_right(self, given: str) -> bool:
        return given == self.answer


@dataclass(frozen=True)
class NumberExercise:
    """A question whose answer is a number to type. Texts are Markdown."""

    key: str  # as of `ChoiceExercise`
    question: str
    answer: float  # a test compares it with what the code computes
    why: str
    hint: str  # for every wrong number
    tolerance: float = 0.0  # on either side of the answer
    closing: int = 0  # as of `ChoiceExercise`

    @property
    def shown_answer(self) -> str:
        return f"{self.answer:,.2f}".rstrip("0").rstrip(".")

    def is_right(self, given: float) -> bool:
        return abs(given - self.answer) <= self.tolerance


Exercise = ChoiceExercise | NumberExercise


@dataclass(frozen=True)
class Handout:
    """What paper has in place of the screen's formula and figure."""

    formula: str = ""  # HTML: letters, <i>, <sub>, <sup> and <br>
    source: str = ""  # of the formula
    drawing: str = ""  # name of a function in pages/components/drawings.py
    drawing_task: str = ""  # what to see in the drawing, or to draw into it; Markdown
    wide: bool = False  # whether the drawing takes the whole width of the paper


@dataclass(frozen=True)
class ViewTexts:
    """What a view of a page teaches. Texts are Markdown, short enough to read aloud."""

    notice: str  # two or three sentences
    title: str = ""  # in the choice of views
    formulas: tuple[Formula, ...] = ()
    exercise: Exercise | None = None
    handout: Handout = Handout()


@dataclass(frozen=True)
class PageTexts:
    """What a page says."""

    title: str
    line: str  # what people do there; on Home
    idea: str = ""  # in one sentence, below the title
    heading: str = ""  # above the page, where it is not the title
    parameter: str = ""  # of the page's address, in which the view is named
    views: Mapping[str, ViewTexts] = field(default_factory=dict)
    questions: tuple[Exercise, ...] = ()  # asked at a lesson's end alone

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """All that the page and a lesson's end ask of it."""
        return (*(view.exercise for view in self.views.values() if view.exercise), *self.questions)

    @property
    def closing(self) -> tuple[Exercise, ...]:
        """What may close a lesson, the first choice first."""
        return tuple(sorted((each for each in self.exercises if each.closing), key=lambda each: each.closing))


def read_page(page: str, folder: Path = CONTENT) -> PageTexts:
    """Return the texts of a page.

    Args:
        page: its address, the name of its file.
        folder: where the file is.

    Raises:
        ValueError: as of `read_toml` and `build`.
    """
    file = f"{page}.toml"
    values = read_toml(file, folder)
    shared = {
        name: build(Formula, each, f"{file}, formula {name!r}")
        for name, each in values.pop("formulas", {}).items()
    }
    values["views"] = {
        name: _view(each, f"{file}, view {name!r}", f"ask_{page}_{name}", shared)
        for name, each in values.get("views", {}).items()
    }
    values["questions"] = [
        _exercise(each, f"{file}, question {number}", f"ask_{page}_{number}")
        for number, each in enumerate(values.get("questions", ()), start=1)
    ]
    return build(PageTexts, values, file)


def _view(values: dict[str, Any], where: str, key: str, shared: Mapping[str, Formula]) -> ViewTexts:
    formulas = values.get("formulas", [])
    if unknown := {each for each in formulas if isinstance(each, str)} - shared.keys():
        raise ValueError(f"{where}: there is no formula {', '.join(sorted(unknown))}")
    read: dict[str, Any] = {
        "formulas": [
            shared[each] if isinstance(each, str) else build(Formula, each, f"{where}, formula")
            for each in formulas
        ]
    }
    if "exercise" in values:
        read["exercise"] = _exercise(values["exercise"], f"{where}, exercise", key)
    if "handout" in values:
        read["handout"] = build(Handout, values["handout"], f"{where}, handout")
    return build(ViewTexts, {**values, **read}, where)


def _exercise(values: Mapping[str, Any], where: str, key: str) -> Exercise:
    if isinstance(values.get("answer"), str):
        return build(ChoiceExercise, {**values, "key": key}, where)
    return build(NumberExercise, {**values, "key": key}, where)


PAGE_TEXTS = {
    file.stem: read_page(file.stem) for file in sorted(CONTENT.glob("*.toml")) if file.stem not in OTHERS
}
"""By the pages' addresses."""


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


# Streamlit's Markdown makes links of http://…, www.… and a@b.c after it has read the backslashes. A character that
# takes no room, and at which no line breaks, ends what it would take for an address.
_ADDRESS = re.compile(r":(?=\\*/)|www(?=\\*\.)|@", re.IGNORECASE)
_JOINER = "\u2060"  # WORD JOINER


def first_words(text: str, most: int = 40) -> str:
    """The text, or its beginning and "…" where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def plain(text: str) -> str:
    """Text with everything that Markdown would read as formatting shown as it is, and no address a link."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~:$&])", r"\\\1", _apart(text))


def linkless(markdown: str) -> str:
    """Markdown of a stranger: its headings, lists, tables and code, but no picture and no link."""
    # As entities, which no backslash before them turns into brackets again.
    return _apart(markdown).replace("&", "&amp;").replace("[", "&#91;").replace("<", "&lt;")


def badges(tokens: Sequence[str], ids: Sequence[int], unknown: Sequence[bool]) -> str:
    """Tokens with their ids as coloured chips; unknown ones stand out."""
    return " ".join(
        f":{'orange' if is_unknown else 'blue'}-badge[{plain(token)} · {token_id}{' · unknown' if is_unknown else ''}]"
        for token, token_id, is_unknown in zip(tokens, ids, unknown, strict=True)
    )


def _apart(text: str) -> str:
    """The text with what no eye sees in each address."""
    return _ADDRESS.sub(rf"\g<0>{_JOINER}", text)
