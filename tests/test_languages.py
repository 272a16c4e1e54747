"""Texts in the reader's language: every entry is translated, keeps what it must keep, and is that of today's English."""

import ast
import logging
import re
import threading
import warnings
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import write_po
from babel.numbers import format_decimal, format_percent

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.catalogue import CORPORA
from core.language import ENGLISH, Language, PerLanguage, _, language, ngettext, number, read_number, reading
from core.presets import PRESETS
from pages.components.browser.files import BROWSER, texts_said
from pages.languages import catalogs
from pages.languages.__main__ import bring_up_to_date, english_texts
from pages.languages.catalogs import FOLDER, entries_of, known_languages, problem_of, read_catalog, share_done

ROOT = Path(__file__).parent.parent
CODES = sorted(file.stem for file in FOLDER.glob("*.po"))
# What a translation has as often as the English text.
MARKS = (
    r"\*\*",
    "`",
    r"\$",
    r":material/\w+:",
    r":\w+\[",
    r"</?\w+[^>]*>",
    r"\]\(",
    r"\[(?:START|END|PAD)\]",
)
MARKERS = ("_", "N_", "ngettext")
FRENCH = Language(
    "fr",
    "Français",
    {"Chalk": "Craie"},
    {"{count} sponge": ("{count} éponge", "{count} éponges")},
    lambda count: int(count > 1),
    decimal=",",
    group="\u202f",
    percent="\u00a0%",
)


def forms(text: object) -> list[str]:
    return [text] if isinstance(text, str) else [*text]  # type: ignore[misc]


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_nearly_every_text_is_translated(code: str) -> None:
    """Whoever adds a page need not know the language: a few new texts are shown in English, and the summary says so."""
    catalog = read_catalog(FOLDER / f"{code}.po")
    entries = list(entries_of(catalog))
    missing = [entry.id for entry in entries if entry.fuzzy or not all(forms(entry.string))]
    new = {entry.id for entry in entries_of(english_texts())} - {entry.id for entry in entries}
    if missing or new:
        warnings.warn(
            f"{code}: {len(missing) + len(new)} texts to translate; run python -m pages.languages",
            stacklevel=1,
        )
    assert len(missing) + len(new) < len(entries) / 20
    assert [entry.id for entry in entries if len(forms(entry.string)) not in (1, catalog.num_plurals)] == []


@pytest.mark.slow
def test_what_corpora_presets_and_shipped_models_are_called_is_a_text_to_translate() -> None:
    names = {name for corpus in CORPORA.values() for name in corpus.language_names}
    names |= {preset.english_title for preset in PRESETS.values()}
    names |= {Checkpoint.load(file).name for file in shipped_checkpoints().values()}
    assert names <= {entry.id for entry in entries_of(english_texts())}


@pytest.mark.parametrize("code", CODES)
def test_a_translation_keeps_placeholders_and_marks(code: str) -> None:
    wrong: list[str] = []
    for entry in entries_of(read_catalog(FOLDER / f"{code}.po")):
        wrong += filter(None, [problem_of(entry)])
        for text in filter(None, forms(entry.string)):
            for mark in MARKS:
                if len(re.findall(mark, text)) not in {
                    len(re.findall(mark, each)) for each in forms(entry.id)
                }:
                    wrong.append(f"{mark} in {text!r} for {entry.id!r}")
    assert wrong == []


@pytest.mark.parametrize(
    "guide", sorted((ROOT / ".github").glob("TEACHING.*.md")), ids=lambda guide: guide.name
)
def test_a_guide_for_teachers_names_buttons_as_the_app_does(guide: Path) -> None:
    entries = entries_of(read_catalog(FOLDER / f"{guide.stem.partition('.')[2]}.po"))
    shown = {text.strip("*") for entry in entries for text in forms(entry.string)}
    named = re.findall(r"\*\*(.+?)\*\*", guide.read_text(encoding="utf-8"))
    assert named and [name for name in named if name not in shown] == []


def test_what_nobody_has_translated_is_english() -> None:
    with reading(FRENCH):
        assert (_("Chalk"), _("Sponge")) == ("Craie", "Sponge")
        assert [ngettext("{count} sponge", "{count} sponges", count).format(count=count) for count in (0, 1, 2)] == [
            "0 éponge", "1 éponge", "2 éponges",
        ]  # fmt: skip
        assert ngettext("{count} chalk", "{count} chalks", 2) == "{count} chalks"
    assert (_("Chalk"), ngettext("{count} sponge", "{count} sponges", 2)) == ("Chalk", "{count} sponges")


def test_numbers_are_written_and_read_as_in_the_language() -> None:
    with reading(FRENCH):
        assert [number(1234.5, ",.2f"), number(0.5, ".0%"), number(-3)] == [
            "1\u202f234,50",
            "50\u00a0%",
            "−3",
        ]
    assert [number(1234.5, ",.2f"), number(0.5, ".0%")] == ["1,234.50", "50%"]
    assert [read_number(text) for text in ("0,5", "−0.5", "1\u202f000,5", "16,000", "0,125")] == [
        0.5, -0.5, 1000.5, 16000, 0.125,
    ]  # fmt: skip


@pytest.mark.parametrize("code", CODES)
def test_a_language_of_ours_sets_numbers_as_its_country_does(code: str) -> None:
    with reading(known_languages()[code]):
        written = number(1234.5, ",.1f"), number(0.5, ".0%")
    locale = Locale.parse(code)
    assert written == (format_decimal(1234.5, "#,##0.0", locale), format_percent(0.5, locale=locale))


def test_threads_read_in_languages_of_their_own() -> None:
    found = []
    with reading(FRENCH):
        thread = threading.Thread(target=lambda: found.append(language()))
        thread.start()
        thread.join()
        assert language() is FRENCH
    assert found == [ENGLISH]


def test_texts_of_files_are_read_once_for_each_language() -> None:
    texts = PerLanguage(lambda: {"button": _("Chalk")})
    assert texts["button"] == "Chalk"
    with reading(FRENCH):
        assert texts["button"] == "Craie" == texts["button"]
    assert dict(texts) == {"button": "Chalk"}


def test_a_broken_translation_is_said_and_shown_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    english = Catalog()
    for text in (*"abcdefghijklmnopqrst", "{count} heads"):
        english.add(text)
    file = tmp_path / "de.po"
    bring_up_to_date(file, english)
    written = (
        file.read_text(encoding="utf-8")
        .replace('msgstr ""', 'msgstr "x"')
        .replace('msgstr "x"\n"', 'msgstr ""\n"', 1)
    )
    file.write_text(
        written.replace('heads"\nmsgstr "x"', 'heads"\nmsgstr "{number} Köpfe"'), encoding="utf-8"
    )
    assert share_done(read_catalog(file)) == 1
    monkeypatch.setattr(catalogs, "FOLDER", tmp_path)
    known_languages.cache_clear()
    with caplog.at_level(logging.WARNING), reading(known_languages()["de"]):
        assert (_("a"), _("{count} heads")) == ("x", "{count} heads")
        assert number(0.5) == "0,5"
    known_languages.cache_clear()
    assert "{count} heads" in caplog.text


@pytest.mark.parametrize("wrong", ["{share}", "{share:.1%}", "{other:.0%}", "half", "{share:.0%"])
def test_a_translation_has_the_placeholders_of_its_text_and_their_formats(wrong: str) -> None:
    assert not problem_of(Message("half: {share:.0%}", "{share:.0%} : la moitié"))
    assert problem_of(Message("half: {share:.0%}", wrong))


def test_a_language_is_offered_when_nearly_all_is_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = Catalog()
    for text in "abcdefghijklmnopqrst":
        english.add(text)
    file = tmp_path / "de.po"
    monkeypatch.setattr(catalogs, "FOLDER", tmp_path)
    offered = []
    catalog = bring_up_to_date(file, english)
    for left in (2, 1):
        for entry in entries_of(catalog)[left:]:
            entry.string = "x"
        with file.open("wb") as opened:
            write_po(opened, catalog)
        known_languages.cache_clear()
        offered.append([*known_languages()])
    known_languages.cache_clear()
    assert offered == [["en"], ["en", "de"]]


def test_what_scripts_say_is_translated() -> None:
    said = {text for file in BROWSER.glob("*.js") for text in texts_said(file.stem)}
    assert said and said <= {entry.id for entry in entries_of(english_texts())}


def translate_last(file: Path, text: str) -> None:
    """Write a translation of a file's last entry, as a translator does."""
    head, _found, tail = file.read_text(encoding="utf-8").rpartition('msgstr ""')
    file.write_text(f'{head}msgstr "{text}"{tail}', encoding="utf-8")


def test_a_text_that_has_changed_is_in_doubt(tmp_path: Path) -> None:
    before, after = Catalog(), Catalog()
    before.add("The model has not read this sentence yet.")
    after.add("The model has not read this sentence.")
    file = tmp_path / "fr.po"
    bring_up_to_date(file, before)
    catalog = read_catalog(file)
    entry: Message = entries_of(catalog)[0]
    assert share_done(catalog) == 0
    translate_last(file, "Pas encore lue.")
    assert share_done(read_catalog(file)) == 1
    catalog = bring_up_to_date(file, after)
    (entry,) = entries_of(catalog)
    assert entry.fuzzy and entry.string == "Pas encore lue."
    assert share_done(catalog) == 0


def test_a_text_that_comes_back_has_its_translation_again(tmp_path: Path) -> None:
    english, other = Catalog(), Catalog()
    english.add("In all rows")
    other.add("Everywhere")
    file = tmp_path / "fr.po"
    bring_up_to_date(file, english)
    translate_last(file, "Dans toutes les lignes")
    assert not entries_of(bring_up_to_date(file, other))[0].string
    (entry,) = entries_of(bring_up_to_date(file, english))
    assert entry.string == "Dans toutes les lignes" and not entry.fuzzy


@pytest.mark.slow
def test_no_module_that_looks_texts_up_uses_the_name_for_something_else() -> None:
    """A loop over `_` would make it local, and looking a text up there an error."""
    taken = []
    for file in (*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imports = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "core.language"
        ]
        if not any(alias.name == "_" for node in imports for alias in node.names):
            continue
        for node in ast.walk(tree):
            is_stored = isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Store)
            if is_stored or (isinstance(node, ast.arg) and node.arg == "_"):
                taken.append(f"{file.relative_to(ROOT)}:{node.lineno}")  # type: ignore[attr-defined]
    assert taken == []
