"""The texts of this folder, checked when they are read.

Every error message names the file and the entry.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from core.described import described, read
from core.errors import InputError
from core.language import PerLanguage, _, titled
from core.records.question import ChoiceQuestion, Kind

CONTENT = Path(__file__).parent
# Files that belong to no single page.
_OTHERS = ("experiments", "glossary", "lessons", "living", "measures", "parts", "roles")

Entry = TypeVar("Entry")


def read_toml(file: str, folder: Path = CONTENT) -> dict[str, Any]:
    """Return the contents of a file of texts, in the reader's language.

    Raises:
        ValueError: The file is not valid TOML; the message has the line.
    """
    try:
        values = tomllib.loads((folder / file).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from error
    return {
        key: _change(each, "does" if file == "roles.toml" else key, file, _) for key, each in values.items()
    }


# The fields that people read; the others are names.
_TEXTS = {
    "title",
    "line",
    "idea",
    "heading",
    "notice",
    "question",
    "answer",
    "wrong",
    "why",
    "hint",
    "task",
    "class_task",
}
_TEXTS |= {"class_task", "formula", "source", "drawing_task", "meaning", "label", "help", "does", "sentence"}
_NAMED = ("glossary.toml", "measures.toml")  # whose names people read
# A formula with words for its variables, other than the paper's.
_HAS_WORDS = re.compile(
    r"\\text\{[a-z ]{4,}|(?<![a-z\\])(area|cost|decoder|label|memory|rate|recovered|word)(?![a-z])"
).search


def _change(value: Any, key: str, file: str, change: Callable[[str], str]) -> Any:
    """Return a value of a file with its texts changed; those that are keys, like wrong answers, too."""
    if isinstance(value, str):
        is_text = (
            key in _TEXTS or (key == "name" and file in _NAMED) or (key == "latex" and _HAS_WORDS(value))
        )
        return change(value) if value and is_text else value
    if isinstance(value, list):
        return [_change(each, key, file, change) for each in value]
    if not isinstance(value, dict) or key == "choices":
        return value
    if key == "wrong":
        return {change(answer): change(hint) for answer, hint in value.items()}
    return {name: _change(each, name, file, change) for name, each in value.items()}


def texts_in(content: str, file: str) -> list[str]:
    """Return all texts of a file that people read."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    for key, each in tomllib.loads(content).items():
        _change(each, "does" if file == "roles.toml" else key, file, note)
    return found


def build(entry_type: type[Entry], values: Mapping[str, Any], where: str) -> Entry:
    """Return what an entry of a file describes.

    Args:
        entry_type: a described class.
        values: the entry's fields.
        where: the file and the entry, for the message.

    Raises:
        ValueError: A field is missing, unknown or not what it must be.
    """
    try:
        return read(entry_type, values)
    except InputError as error:
        raise ValueError(f"{where}: {error}") from error


def read_entries(file: str, table: str, entry_type: type[Entry], folder: Path = CONTENT) -> tuple[Entry, ...]:
    """Return the entries of a file that is one list.

    Args:
        file: the file's name, ending in .toml.
        table: the name of its array of tables.
        entry_type: a described class with the field `name`.
        folder: where the file is.

    Raises:
        ValueError: An entry is invalid (see `build`) or repeats a name.
    """
    entries: dict[str, Entry] = {}
    for values in read_toml(file, folder)[table]:
        name = values.get("name")
        if name in entries:
            raise ValueError(f"{file}, entry {name!r}: appears twice")
        entries[name] = build(entry_type, values, f"{file}, entry {name!r}")
    return tuple(entries.values())


@described
class Formula:
    """A formula and its source."""

    latex: str
    source: str  # "Vaswani et al. 2017, section 3.5"


@described
class Handout:
    """What the printed handout shows instead of the screen's formula and figure."""

    formula: str = ""  # HTML: letters, <i>, <sub>, <sup> and <br>
    source: str = ""  # the formula's source
    drawing: str = ""  # a function of pages/components/lesson/drawings.py
    drawing_task: str = ""  # what to see in the drawing, or to draw into it; Markdown
    wide: bool = False  # whether the drawing takes the whole width of the paper


@described
class ViewTexts:
    """The texts of one view. They are Markdown, short enough to read aloud."""

    notice: str  # two or three sentences
    title: str = ""  # in the choice of views
    formulas: tuple[Formula, ...] = ()
    prediction: ChoiceQuestion | None = None  # asked before the figure is seen
    exercise: Kind | None = None
    handout: Handout = Handout()


@described
class PageTexts:
    """The texts of one page."""

    title: str
    line: str  # what to do there; shown on Home
    idea: str = ""  # in one sentence, below the title
    heading: str = ""  # the page's heading, where it is not the title
    parameter: str = ""  # the key of the choice of views, also in the address
    views: Mapping[str, ViewTexts] = field(default_factory=dict)
    questions: tuple[Kind, ...] = ()  # asked only at the end of a lesson

    @property
    def predictions(self) -> tuple[ChoiceQuestion, ...]:
        """Return all predictions of the page's views."""
        return tuple(view.prediction for view in self.views.values() if view.prediction)

    @property
    def exercises(self) -> tuple[Kind, ...]:
        """Return all exercises of the page's views and of the end of a lesson."""
        return (*(view.exercise for view in self.views.values() if view.exercise), *self.questions)

    @property
    def closing(self) -> tuple[Kind, ...]:
        """Return the questions for the end of a lesson, the first choice first."""
        return tuple(sorted((each for each in self.exercises if each.closing), key=lambda each: each.closing))


def read_page(page: str, folder: Path = CONTENT) -> PageTexts:
    """Return the texts of the page with this address."""
    file = f"{page}.toml"
    values = read_toml(file, folder)
    shared = values.pop("formulas", {})
    for name, view in values.get("views", {}).items():
        view["formulas"] = [_formula(each, shared, file) for each in view.get("formulas", ())]
        if prediction := view.get("prediction"):
            prediction |= {"name": f"{page}_{name}", "page": page, "moment": "prediction"}
            prediction["wrong"] = dict.fromkeys(prediction.get("wrong", ()), "")
        if exercise := view.get("exercise"):
            exercise |= {"name": f"{page}_{name}", "page": page}
    for number, question in enumerate(values.get("questions", ()), start=1):
        question |= {"name": f"{page}_{number}", "page": page}
    return build(PageTexts, values, file)


def _formula(given: object, shared: Mapping[str, object], file: str) -> object:
    """Return a view's formula, which may be the name of one that several views share."""
    if not isinstance(given, str):
        return given
    if given not in shared:
        raise ValueError(f"{file}: there is no formula {given}")
    return shared[given]


# The texts of each page, by the page's address.
PAGE_TEXTS = PerLanguage(
    lambda: {
        file.stem: read_page(file.stem) for file in sorted(CONTENT.glob("*.toml")) if file.stem not in _OTHERS
    }
)


@described
class Experiment:
    """A training with one change, which answers a question."""

    name: str  # in English; a run keeps it
    question: str
    model: Mapping[str, Any] = field(default_factory=dict)  # the settings that it changes, by field
    training: Mapping[str, Any] = field(default_factory=dict)  # the same
    rate_factor: float = 1  # times the learning rate


EXPERIMENTS = PerLanguage(
    lambda: {each.name: each for each in read_entries("experiments.toml", "experiment", Experiment)}
)


@described
class Term:
    """An entry of the glossary. Texts are Markdown."""

    name: str
    meaning: str  # a sentence or two
    source: str
    page: str  # the address of the page that shows it
    also: tuple[str, ...] = ()  # the addresses of pages that need it too


GLOSSARY = PerLanguage(lambda: {each.name: each for each in read_entries("glossary.toml", "term", Term)})


def terms_of(page: str) -> str:
    """Return the glossary entries that the page with this address shows, as a Markdown list; empty if there are none."""
    return _listed(term for term in GLOSSARY.values() if term.page == page)


def terms_needed_on(page: str) -> str:
    """Return the glossary entries that a page shows or needs, like `terms_of`."""
    return _listed(term for term in GLOSSARY.values() if page in (term.page, *term.also))


def _listed(terms: Iterable[Term]) -> str:
    lines = (f"{titled(f'**{term.name}**', term.meaning)} *({term.source})*" for term in terms)
    return "\n".join(f"- {line}" for line in lines)
