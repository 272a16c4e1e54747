import re
from pathlib import Path

import pytest

from pages.content.lessons import read_lessons
from pages.content.pages import ALL_PAGES, PAGES, SECTIONS
from pages.content.reader import CONTENT, GLOSSARY, PAGE_TEXTS, read_page

EXPLAINING = [page.address for page in (*SECTIONS["Understand"], *SECTIONS["Look inside"])]


def test_every_page_has_its_file_its_texts_and_its_place_in_the_menu() -> None:
    files = {file.stem for file in CONTENT.parent.glob("*.py")} - {"__init__"}
    assert files == PAGE_TEXTS.keys() == {page.address for page in ALL_PAGES}


@pytest.mark.parametrize("page", EXPLAINING)
def test_every_view_of_an_explaining_page_has_a_formula_and_an_exercise(page: str) -> None:
    """README and TEACHING promise them for Understand and Look inside."""
    views = PAGE_TEXTS[page].views
    assert views
    for name, view in views.items():
        assert view.formulas and view.exercise, name


def test_every_entry_of_the_glossary_names_its_source_and_a_page() -> None:
    addresses = {page.address for page in PAGES}
    for term in GLOSSARY.values():
        assert re.search(r"section|figure|not in the paper|[12][09][0-9][0-9]", term.source), term
        assert {term.page, *term.also} <= addresses, term


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('title = "A\n', r"page\.toml: .*line 1"),
        ('title = "A"\nline = "B."\n[views.one]\nnotice = "C."\ncolour = "red"', r"views\.one\.colour"),
        ('title = "A"\nline = "B."\n[[questions]]\nwhy = "E."', r"page\.toml: .*questions\.0\..*question"),
    ],
)
def test_a_malformed_page_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "page.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_page("page", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('page = "train"', 'page = "trane"', "10.*1.*trane"),
        ('view = "words"', 'view = "all"', "3.*attention_maps.*all"),
        ("10 = 4", "10 = 5", "10.*11"),
    ],
)
def test_a_malformed_lesson_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (CONTENT / "lessons.toml").read_text(encoding="utf-8")
    (tmp_path / "lessons.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"lessons.toml.*{message}"):
        read_lessons(tmp_path)
