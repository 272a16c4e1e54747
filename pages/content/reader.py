"""The texts of this folder, checked when they are read.

Every error message names the file and the entry.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import AfterValidator, ValidationInfo

from core.described import Change, Wording, described, read
from core.errors import InputError
from core.language import PerLanguage, _, titled
from core.records.question import ChoiceQuestion, Kind

CONTENT = Path(__file__).parent
Entry = TypeVar("Entry")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


NamedEntry = TypeVar("NamedEntry", bound=_Named)


def read_content(file: str, entry_type: type[Entry], folder: Path = CONTENT, change: Change = _) -> Entry:
    """Return what a file of this folder describes, in the reader's language.

    Args:
        file: the file's name, ending in .toml.
        entry_type: a described class.
        folder: where the file is.
        change: returns what takes the place of each text that people read.

    Raises:
        ValueError: The file is not valid TOML, or a field is missing, unknown or not what it must be.
    """
    return build(entry_type, parse(file, folder), file, change)


def parse(file: str, folder: Path = CONTENT) -> dict[str, Any]:
    """Return the contents of a file, as they are written.

    Raises:
        ValueError: The file is not valid TOML; the message has the line.
    """
    try:
        return tomllib.loads((folder / file).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from error


def build(entry_type: type[Entry], values: object, where: str, change: Change = _) -> Entry:
    """Return what values of a file describe; `where` is for the message.

    Raises:
        ValueError: A field is missing, unknown or not what it must be.
    """
    try:
        return read(entry_type, values, change)
    except InputError as error:
        raise ValueError(f"{where}: {error}") from error


def by_name(entries: Iterable[NamedEntry]) -> dict[str, NamedEntry]:
    """Return entries by their names.

    Raises:
        ValueError: A name stands twice.
    """
    found: dict[str, NamedEntry] = {}
    for entry in entries:
        if entry.name in found:
            raise ValueError(f"entry {entry.name!r}: appears twice")
        found[entry.name] = entry
    return found


def texts_in(file: str) -> list[str]:
    """Return all texts of a file that people read."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    page = file.removesuffix(".toml")
    if page in OTHERS:
        read_content(file, OTHERS[page], change=note)
    else:
        read_page(page, change=note)
    return found


# A formula with words for its variables, other than the paper's.
_HAS_WORDS = re.compile(
    r"\\text\{[a-z ]{4,}|(?<![a-z\\])(area|cost|decoder|label|memory|rate|recovered|word)(?![a-z])"
).search


def _change_words(latex: str, info: ValidationInfo) -> str:
    change: Change | None = info.context
    return change(latex) if change and _HAS_WORDS(latex) else latex


@described
class Formula:
    """A formula and its source."""

    latex: Annotated[str, AfterValidator(_change_words)]
    source: Wording  # "Vaswani et al. 2017, section 3.5"


@described
class Handout:
    """What the printed handout shows instead of the screen's formula and figure."""

    formula: Wording = ""  # HTML: letters, <i>, <sub>, <sup> and <br>
    source: Wording = ""  # the formula's source
    drawing: str = ""  # a function of pages/components/lesson/drawings.py
    drawing_task: Wording = ""  # what to see in the drawing, or to draw into it; Markdown
    wide: bool = False  # whether the drawing takes the whole width of the paper


@described
class ViewTexts:
    """The texts of one view. They are Markdown, short enough to read aloud."""

    notice: Wording  # two or three sentences
    title: Wording = ""  # in the choice of views
    formulas: tuple[Formula, ...] = ()
    prediction: ChoiceQuestion | None = None  # asked before the figure is seen
    exercise: Kind | None = None
    handout: Handout = Handout()


@described
class PageTexts:
    """The texts of one page."""

    title: Wording
    line: Wording  # what to do there; shown on Home
    idea: Wording = ""  # in one sentence, below the title
    heading: Wording = ""  # the page's heading, where it is not the title
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


def read_page(page: str, folder: Path = CONTENT, change: Change = _) -> PageTexts:
    """Return the texts of the page with this address; see `read_content`."""
    file = f"{page}.toml"
    values = parse(file, folder)
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
    return build(PageTexts, values, file, change)


def _formula(given: object, shared: Mapping[str, object], file: str) -> object:
    """Return a view's formula, which may be the name of one that several views share."""
    if not isinstance(given, str):
        return given
    if given not in shared:
        raise ValueError(f"{file}: there is no formula {given}")
    return shared[given]


def is_page(file: str) -> bool:
    """Return whether a file of this folder is that of a page, by its name without the ending."""
    return file not in (*OTHERS, "lessons")


# The texts of each page, by the page's address.
PAGE_TEXTS = PerLanguage(
    lambda: {
        file.stem: read_page(file.stem)
        for file in sorted(CONTENT.glob("*.toml"))
        if file.stem not in (*OTHERS, "lessons")
    }
)


@described
class Experiment:
    """A training with one change, which answers a question."""

    name: str  # in English; a run keeps it
    question: Wording
    model: Mapping[str, Any] = field(default_factory=dict)  # the settings that it changes, by field
    training: Mapping[str, Any] = field(default_factory=dict)  # the same
    rate_factor: float = 1  # times the learning rate


@described
class _Experiments:
    experiment: tuple[Experiment, ...]


EXPERIMENTS = PerLanguage(lambda: by_name(read_content("experiments.toml", _Experiments).experiment))


@described
class Term:
    """An entry of the glossary. Texts are Markdown."""

    name: Wording
    meaning: Wording  # a sentence or two
    source: Wording
    page: str  # the address of the page that shows it
    also: tuple[str, ...] = ()  # the addresses of pages that need it too


@described
class _Glossary:
    term: tuple[Term, ...]


GLOSSARY = PerLanguage(lambda: by_name(read_content("glossary.toml", _Glossary).term))


def terms_of(page: str) -> str:
    """Return the glossary entries that the page with this address shows, as a Markdown list; empty if there are none."""
    return _listed(term for term in GLOSSARY.values() if term.page == page)


def terms_needed_on(page: str) -> str:
    """Return the glossary entries that a page shows or needs, like `terms_of`."""
    return _listed(term for term in GLOSSARY.values() if page in (term.page, *term.also))


def _listed(terms: Iterable[Term]) -> str:
    lines = (f"{titled(f'**{term.name}**', term.meaning)} *({term.source})*" for term in terms)
    return "\n".join(f"- {line}" for line in lines)


@described
class PartTexts:
    """The texts about a part of the model, on Architecture. They are Markdown."""

    name: str
    does: Wording  # a sentence or two
    source: Wording  # the paper's section


@described
class _Parts:
    part: tuple[PartTexts, ...]


PART_TEXTS = PerLanguage(lambda: by_name(read_content("parts.toml", _Parts).part))


@described
class Measure:
    """A score of an evaluation."""

    name: Wording
    value: str  # the attribute of `Evaluation` that has it
    form: str  # of its number
    meaning: Wording
    metric: str  # its name among a checkpoint's metrics
    margin: str = ""  # the attribute of half the width of its confidence interval


@described
class _Measures:
    measure: tuple[Measure, ...]


MEASURES = PerLanguage(
    lambda: {each.metric: each for each in read_content("measures.toml", _Measures).measure}
)


@described
class _Roles:
    roles: Mapping[str, Wording]


# What heads do, by the names of their roles.
ROLES = PerLanguage(lambda: read_content("roles.toml", _Roles).roles)


@described
class LivingBox:
    """A box of the living picture."""

    name: str
    title: Wording
    color: str
    label: Wording


@described
class LivingPhase:
    """A phase of the living picture; living.toml says what its fields mean."""

    name: str
    side: Literal["source", "target"]
    when: Literal["first", "later", "end"]
    ms: int
    moves: Mapping[str, tuple[float, ...]]
    lights: tuple[str, ...]
    title: Wording
    sentence: Wording
    begins: bool = False
    layer: str = ""


@described
class Living:
    """The living picture."""

    box: tuple[LivingBox, ...]
    phase: tuple[LivingPhase, ...]


# Files that belong to no single page, and what each describes. The lessons read their own.
OTHERS: dict[str, type] = {
    "experiments": _Experiments,
    "glossary": _Glossary,
    "living": Living,
    "measures": _Measures,
    "parts": _Parts,
    "roles": _Roles,
}
