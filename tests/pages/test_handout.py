from __future__ import annotations

import re
import time
from html.parser import HTMLParser

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.workspace import Workspace
from core.figures.number_tables import numbered
from core.figures.paper import paper_axes, paper_grid
from pages.components.app.menu import PAGES
from pages.components.lesson.closing import closing_questions
from pages.components.lesson.handout.document import handout_html, handout_name
from pages.components.lesson.handout.sheets import SHEETS, sheet_of
from pages.components.lesson.plan import Stop
from pages.components.lesson.routes import LESSONS
from tests.conftest import ChangeSetting
from tests.pages.conftest import OpenPage
from tests.pages.test_addresses import opened

MAX_BYTES = 100_000  # of a handout
MAX_SECONDS = 1.0  # of one core, to make one


class Elements(HTMLParser):
    """What a document is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "data", "action")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def text_of(document: str) -> str:
    return re.sub(r"<[^>]+>", "", document)


@pytest.mark.parametrize("minutes", LESSONS)
def test_a_handout_has_every_step_and_needs_nothing_else(minutes: int) -> None:
    plan = LESSONS[minutes]
    started = time.process_time()
    document = handout_html(plan)
    assert time.process_time() - started < MAX_SECONDS
    assert len(document.encode()) < MAX_BYTES
    elements = Elements()
    elements.feed(document)
    assert elements.open == []
    assert "script" not in elements.tags and "link" not in elements.tags and "@import" not in document
    assert not elements.addresses and not re.search(
        r"url\((?!#)", document
    )  # arrows point at heads of their own
    for number, stop in enumerate(plan.stops, start=1):
        assert f"<h2>{number}. {stop.page.title} <small>{stop.minutes} min</small></h2>" in document
        assert stop.task in text_of(document)
    assert handout_name(plan) == f"transformer-lesson-{minutes}-minutes.html"


@pytest.mark.parametrize("minutes", LESSONS)
def test_every_exercise_is_asked_once_and_answered_on_the_last_page(minutes: int) -> None:
    plan = LESSONS[minutes]
    questions, answers = handout_html(plan).split('<section class="answers">')
    numbers = [int(number) for number in re.findall(r"Exercise (\d+)\.", questions)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert answers.count("<li>") == len(numbers) > len(plan.stops) // 2
    closing = [exercise for _, exercise in closing_questions(plan, turn=0)]
    steps = [asked for stop in plan.stops if (asked := sheet_of(stop).asks)]
    assert len(numbers) == len({exercise.key for exercise in (*steps, *closing)})
    for exercise in (*steps, *closing):
        assert questions.count(text_of(exercise.question).split("`")[0][:40]) == 1
        assert exercise.why[:20] not in questions
    assert not re.search(r"\*\*|`", questions + answers)  # no Markdown is left


STOPS = list({(stop.page, stop.choice): stop for plan in LESSONS.values() for stop in plan.stops}.values())


@pytest.mark.slow
@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: f"{stop.page.address}-{stop.minutes}")
def test_a_handout_asks_what_the_screen_asks(with_shipped: None, stop: Stop) -> None:
    app = opened(stop.page, dict(stop.query(Workspace())))
    on_screen = [each.value for each in app.markdown if each.value.startswith("**Exercise.**")]
    asked = sheet_of(stop).asks
    assert on_screen == ([f"**Exercise.** {asked.question}"] if asked else [])


def test_paper_shows_what_the_screen_shows() -> None:
    half, whole = handout_html(LESSONS[30]), handout_html(LESSONS[60])
    assert "Attention(<i>PX</i>)" in half and "bites" in half  # the words shuffled
    assert "Attention(<i>PX</i>)" not in whole and "channel 0" in whole  # single waves
    assert all(f">{name}</text>" in document for name in numbered("x", 3) for document in (half, whole))


def test_without_exercises_there_is_no_page_of_answers() -> None:
    document = handout_html(LESSONS[60], with_exercises=False)
    assert "Exercise" not in document and "Answers" not in document
    assert LESSONS[60].stops[-1].task in document


def test_pages_that_a_server_leaves_out_are_not_in_its_handout(change_setting: ChangeSetting) -> None:
    change_setting("pages", "train,masks")
    document = handout_html(LESSONS[30])
    assert re.findall(r"<h2>\d\. ([^<]+) <small>", document) == ["Masks", "Train"]


def test_sheets_are_of_pages_that_a_lesson_has() -> None:
    assert set(SHEETS) <= set(PAGES)
    assert all((sheet.draw is None) == (not sheet.task) for sheet in map(sheet_of, STOPS))


def test_what_is_drawn_for_paper() -> None:
    grid = paper_grid(["<a>", "b"], ["c"], [[0.0], [1.0]])
    assert "&lt;a&gt;" in grid and "<a>" not in grid
    assert re.findall(r'fill="rgb\((\d+),', grid) == ["255", "90"]  # dark, and a pencil still shows
    assert 'fill="rgb(255,255,255)"' in paper_grid(["a"], ["b"])
    assert "polyline" not in paper_axes("step", "loss")
    assert 'points="34.0,176.0 314.0,16.0"' in paper_axes("step", "loss", [(0, 0), (1, 1)])


def test_home_offers_the_handout_of_the_lesson_chosen(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    assert "Handout" not in downloads(app)
    app.segmented_control(key="lesson").set_value(30).run()
    assert not app.exception
    assert "Handout" in downloads(app)


def downloads(app: AppTest) -> list[str]:
    return [button.proto.label for button in app.get("download_button")]
