from __future__ import annotations

from pathlib import Path

import pytest

from pages.components.app.content import CONTENT, PAGE_TEXTS, read_page
from pages.components.app.menu import PAGES, SECTIONS
from pages.components.lesson.plan import read_lessons

EXPLAINING = [page.address for page in (*SECTIONS["Understand"], *SECTIONS["Look inside"])]


def test_every_page_has_its_texts_and_no_texts_are_left_over() -> None:
    assert PAGE_TEXTS.keys() == {page.address for page in PAGES}
    assert all(texts.title and texts.line.endswith(".") for texts in PAGE_TEXTS.values())


@pytest.mark.parametrize("page", EXPLAINING)
def test_every_view_has_its_texts(page: str) -> None:
    texts = PAGE_TEXTS[page]
    assert texts.views
    for name, view in texts.views.items():
        assert view.notice.endswith(".") and view.formulas and view.exercise, name
        assert view.exercise.why.endswith(".") and view.exercise.question.endswith("?"), name


VIEW = 'title = "A"\nline = "B."\n[views.one]\nnotice = "C."\n'
EXERCISE = '[views.one.exercise]\nquestion = "D?"\nwhy = "E."\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('title = "A\n', r"page\.toml: .*line 1"),
        ('title = "A"', r"page\.toml: .*line"),
        ('title = "A"\nline = 3', r"page\.toml: line must be a text"),
        (f'{VIEW}colour = "red"', r"page\.toml, view 'one': .*colour"),
        (f'{VIEW}formulas = ["sum"]', r"page\.toml, view 'one': there is no formula sum"),
        (f'{VIEW}formulas = [{{ latex = "x" }}]', r"page\.toml, view 'one', formula: .*source"),
        (f'{VIEW}{EXERCISE}answer = "F"', r"page\.toml, view 'one', exercise: .*wrong"),
        (f"{VIEW}{EXERCISE}answer = 3", r"page\.toml, view 'one', exercise: .*hint"),
        (f'{VIEW}[[questions]]\nwhy = "E."', r"page\.toml, question 1: .*question"),
    ],
)
def test_a_malformed_page_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "page.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_page("page", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('page = "train"', 'page = "trane"', "10 minutes, step 1: there is no page 'trane'"),
        ('view = "overview"', 'view = "all"', "step 3: attention_maps.toml has no view 'all'"),
        ('model = "own"', 'model = "mine"', "step 2: model must be one of"),
        ("minutes = 4", "minutes = 5", "10 minutes: the steps take 11"),
        ("task = ", "tusk = ", "step 1: .*tusk"),
    ],
)
def test_a_malformed_lesson_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (CONTENT / "lessons.toml").read_text(encoding="utf-8")
    (tmp_path / "lessons.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=f"lessons.toml, .*{message}"):
        read_lessons(tmp_path)
