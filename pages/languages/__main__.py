"""Bring the files of the languages up to date with the English texts: python -m pages.languages [CODE ...].

A new code, as `de`, gets a file. A text that is new has no translation yet; one that has changed keeps its translation,
marked as fuzzy, until somebody has looked at it.
"""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from core.checkpoints.card import paragraphs_of
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.catalogue import CORPORA
from core.corpora.corpus import SPLITS
from core.presets import LARGE_PRESETS, PRESETS
from pages.components.browser.files import BROWSER, texts_said
from pages.content.lessons import texts_of_lessons
from pages.content.reader import CONTENT, EXPERIMENTS, texts_in
from pages.languages.catalogs import (
    FOLDER,
    entries_of,
    files_of_languages,
    is_code,
    problem_of,
    read_catalog,
    share_done,
)

ROOT = FOLDER.parents[1]
_MARKS = {"_": 1, "N_": 1, "ngettext": 2}  # functions, and how many of their arguments are texts
_WIDTH = 110
_FOR_DEVELOPERS = ("core/commands", "core/cluster")  # English alone


def english_texts() -> Catalog:
    """Return every English text that is translated, with the files that it is in."""
    found = Catalog(charset="utf-8")
    for file, text, comments in (
        *_in_code(),
        *_in_scripts(),
        *_in_content(),
        *_in_presets(),
        *_in_corpora(),
        *_in_models(),
        *_in_data(),
    ):
        found.add(text, locations=[(file, 0)], auto_comments=comments)
    return found


def _in_code() -> Iterator[tuple[str, str | tuple[str, ...], list[str]]]:
    """Yield what the code looks up or marks: by its syntax, since Babel sees nothing inside an f-string."""
    for folder in ("core", "pages"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            if name.startswith(_FOR_DEVELOPERS):
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MARKS:
                    marked = node.args[: _MARKS[node.func.id]]
                    texts = [str(each.value) for each in marked if isinstance(each, ast.Constant)]
                    if texts:
                        yield name, texts[0] if len(texts) == 1 else tuple(texts), []


def _in_scripts() -> Iterator[tuple[str, str, list[str]]]:
    for file in sorted(BROWSER.glob("*.js")):
        for text in texts_said(file.stem):
            yield file.relative_to(ROOT).as_posix(), text, []


def _in_content() -> Iterator[tuple[str, str, list[str]]]:
    for file in sorted(CONTENT.glob("*.toml")):
        is_lessons = file.name == "lessons.toml"
        for text in texts_of_lessons() if is_lessons else texts_in(file.name):
            yield file.relative_to(ROOT).as_posix(), text, []


def _in_presets() -> Iterator[tuple[str, str, list[str]]]:
    for preset in (*PRESETS.values(), *LARGE_PRESETS.values()):
        for text in (preset.english_title, preset.english_description):
            yield "core/presets.toml", text, []


def _in_corpora() -> Iterator[tuple[str, str, list[str]]]:
    for corpus in CORPORA.values():
        for text in filter(None, (corpus.wording, *corpus.language_names, corpus.terms, corpus.size)):
            yield "core/corpora/catalogue.toml", text, []


def _in_models() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the names of the shipped models, and their cards without the commands."""
    for file in shipped_checkpoints().values():
        model = Checkpoint.load(file)
        for text in (model.name, *paragraphs_of(model.card)):
            if not text.startswith("    "):
                yield file.relative_to(ROOT).as_posix(), text, []


def _in_data() -> Iterator[tuple[str, str, list[str]]]:
    """Yield the names of what the app brings along: parts of corpora, experiments."""
    for split in SPLITS:
        yield "core/corpora", split, ["Translators: a part of a corpus"]
    for experiment in EXPERIMENTS.values():
        yield "pages/content/experiments.toml", experiment.name, []


def bring_up_to_date(file: Path, english: Catalog) -> Catalog:
    """Add and remove entries of a language's file so that they are those of the English texts; return them.

    Args:
        file: of the language; it may not be there yet.
        english: all texts.
    """
    catalog = read_catalog(file) if file.exists() else Catalog(locale=file.stem, charset="utf-8", fuzzy=False)
    catalog.project, catalog.version = "transformer-classroom", ""
    catalog.msgid_bugs_address = catalog.last_translator = catalog.language_team = ""
    for entry in catalog.obsolete.values():  # a text that has come back has its translation again
        catalog[entry.id] = entry
    catalog.obsolete.clear()
    catalog.update(english, update_creation_date=False)
    with file.open("wb") as opened:
        write_po(opened, catalog, width=_WIDTH, no_location=False, include_lineno=False, omit_header=False)
    return catalog


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("codes", nargs="*", metavar="CODE", help="of the languages; all, if left out")
    codes = parser.parse_args().codes or [file.stem for file in files_of_languages()]
    english = english_texts()
    for code in codes:
        if not is_code(code):
            parser.error(f"{code} is no code of a language, as fr or pt")
        catalog = bring_up_to_date(FOLDER / f"{code}.po", english)
        entries = entries_of(catalog)
        fuzzy = sum(entry.fuzzy for entry in entries)
        print(f"{code}: {share_done(catalog):.1%} of {len(entries)} texts, {fuzzy} fuzzy")
        for problem in filter(None, map(problem_of, entries)):
            print(f"  {problem}")


if __name__ == "__main__":
    main()
