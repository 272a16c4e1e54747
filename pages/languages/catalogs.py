"""The languages that the app speaks: English, and each file of this folder of which enough is translated."""

import logging
import re
from collections.abc import Iterable
from functools import cache
from gettext import c2py
from pathlib import Path
from string import Formatter

from babel import Locale
from babel.localedata import exists
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from core.language import ENGLISH, Language
from core.server.settings import server_settings

FOLDER = Path(__file__).parent
ENOUGH = 0.95  # of all entries; with fewer, a language is not offered
_log = logging.getLogger(__name__)


@cache
def known_languages() -> dict[str, Language]:
    """Return the languages that are offered, by their codes; English is the first."""
    found = {ENGLISH.code: ENGLISH}
    for file in files_of_languages():
        catalog = read_catalog(file)
        if share_done(catalog) >= ENOUGH or file.stem == server_settings().language:
            found[file.stem] = _language(file.stem, catalog)
    return found


def files_of_languages() -> list[Path]:
    """Return the languages' files, in the order of their codes; a file that is named otherwise is none."""
    return [file for file in sorted(FOLDER.glob("*.po")) if is_code(file.stem)]


def is_code(text: str) -> bool:
    """Return whether a text is the code of a language, without a region."""
    return re.fullmatch("[a-z]{2}", text) is not None and exists(text)


def read_catalog(file: Path) -> Catalog:
    """Return the entries of a language's file."""
    with file.open("rb") as opened:
        return read_po(opened, locale=file.stem)


def entries_of(catalog: Catalog) -> list[Message]:
    """Return the entries of a catalog, without its header."""
    return [message for message in catalog if message.id]


def share_done(catalog: Catalog) -> float:
    """Return which share of a language's entries is translated, and not in doubt."""
    entries = entries_of(catalog)
    return sum(_is_done(entry) for entry in entries) / max(1, len(entries))


def _is_done(entry: Message) -> bool:
    return not entry.fuzzy and all(_forms(entry.string))


def _forms(text: str | Iterable[str] | None) -> tuple[str, ...]:
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def placeholders(text: str) -> set[str]:
    """Return a text's placeholders, each with its format.

    Raises:
        ValueError: Its braces do not match.
    """
    found = Formatter().parse(text)
    return {
        f"{{{name}{f'!{form}' if form else ''}{f':{spec}' if spec else ''}}}"
        for _literal, name, spec, form in found
        if name is not None
    }


def problem_of(entry: Message) -> str:
    """Return what a translation has changed that it must keep, as `{count}`; empty where all is right."""
    english = _forms(entry.id)
    if "\\" in english[0]:
        return ""  # LaTeX, whose braces are no placeholders
    try:
        needed = [placeholders(text) for text in english]
    except ValueError:
        return ""  # braces that are no placeholders
    for text in filter(None, _forms(entry.string)):
        try:
            if placeholders(text) not in needed:
                return f"{english[0]!r} needs {', '.join(sorted(needed[-1]))}: {text!r}"
        except ValueError:
            return f"{english[0]!r} has braces that do not match: {text!r}"
    return ""


def _language(code: str, catalog: Catalog) -> Language:
    locale = Locale.parse(code)
    symbols = locale.number_symbols["latn"]
    percent = re.sub(r"[#0,.]+", "", locale.percent_formats[None].pattern)
    texts = {}
    plurals = {}
    for entry in entries_of(catalog):
        if not _is_done(entry):
            continue
        if problem := problem_of(entry):
            _log.warning("%s.po: %s", code, problem)
        elif isinstance(entry.id, str):
            texts[entry.id] = str(entry.string)
        else:
            plurals[entry.id[0]] = _forms(entry.string)
    return Language(
        code,
        str(locale.get_language_name(code)).capitalize(),
        texts,
        plurals,
        c2py(catalog.plural_expr),
        symbols["decimal"],
        symbols["group"],
        percent,
    )
