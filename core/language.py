"""The language of whoever reads: texts are written in English where they are read, and looked up here.

`_("Start")` is the text in the reader's language, or as it is where a translation lacks it. Names stand for what a text
is about: `_("{count} pairs").format(count=15)`. A text in a constant is marked by `N_` and looked up where it is shown.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Text = TypeVar("Text", bound=str)
Name = TypeVar("Name")
Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Language:
    """A language that people can read."""

    code: str  # of ISO 639, as in `lang` of HTML
    name: str  # in the language itself
    texts: Mapping[str, str] = field(default_factory=dict)  # translations by the English text
    plurals: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # of a count, by the English singular
    plural_form: Callable[[int], int] = lambda count: int(count != 1)  # which of them a count takes
    decimal: str = "."  # between a number's whole part and its decimals
    group: str = ","  # between thousands
    percent: str = "%"  # after a number, with a space where the language has one

    def number(self, text: str) -> str:
        """Return a number that is written as in a program as this language writes it, with a true minus sign."""
        marks = {".": self.decimal, ",": self.group, "%": self.percent}
        minus, digits = ("−", text[1:]) if text.startswith("-") else ("", text)
        return minus + "".join(marks.get(each, each) for each in digits)


ENGLISH = Language("en", "English")

# What a thread or a job has been told to use, before the app's own way to find out.
_told: ContextVar[Language | None] = ContextVar("language", default=None)
_find: Callable[[], Language] = lambda: ENGLISH  # noqa: E731


def find_by(find: Callable[[], Language]) -> None:
    """Let a function say which language the reader of the current thread reads."""
    global _find
    _find = find


def language() -> Language:
    """Return the language of whoever reads."""
    return _told.get() or _find()


@contextmanager
def reading(chosen: Language) -> Iterator[None]:
    """Use a language inside, whoever reads."""
    token = _told.set(chosen)
    try:
        yield
    finally:
        _told.reset(token)


def _(text: str) -> str:
    """Return an English text in the reader's language."""
    return language().texts.get(text) or text


def N_(text: Text) -> Text:  # noqa: N802 - the name that every tool of gettext knows
    """Mark a text that is looked up where it is shown."""
    return text


def ngettext(one: str, many: str, count: int) -> str:
    """Return an English text about a count in the reader's language: `one` for one, else `many`."""
    reader = language()
    forms = reader.plurals.get(one, ())
    form = reader.plural_form(count)
    found = forms[form] if form < len(forms) else ""
    return found or (one if count == 1 else many)


def titled(title: str, text: str) -> str:
    """Return a text behind its title, with the colon as the reader's language sets it."""
    return _("{title}: {text}").format(title=title, text=text)


def quoted(text: str) -> str:
    """Return a text in the quotation marks of the reader's language."""
    return _("“{text}”").format(text=text)


def number(value: float, spec: str = "") -> str:
    """Return a number as the reader's language writes it.

    Args:
        value: the number.
        spec: how, as in an f-string: ",.2f" or ".0%".
    """
    return language().number(format(value, spec))


def read_number(text: str) -> float:
    """Return the number that somebody has typed, with a decimal comma or point, and thousands as the language parts them.

    Raises:
        ValueError: It is no number.
    """
    reader = language()
    digits = re.sub(r"\s", "", text).replace("−", "-")
    if re.fullmatch(
        rf"[-+]?[1-9]\d{{0,2}}(?:{re.escape(reader.group)}\d{{3}})+(?:{re.escape(reader.decimal)}\d+)?",
        digits,
    ):
        digits = digits.replace(reader.group, "")
    return float(digits.replace(",", "."))


class PerLanguage(Mapping[Name, Value]):
    """Texts by name, read once for each language in which somebody reads them."""

    def __init__(self, read: Callable[[], Mapping[Name, Value]]) -> None:
        self._read = read
        self._found: dict[Language, Mapping[Name, Value]] = {}

    def _now(self) -> Mapping[Name, Value]:
        reader = language()
        if reader not in self._found:
            self._found[reader] = self._read()
        return self._found[reader]

    def __getitem__(self, name: Name) -> Value:
        return self._now()[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())
