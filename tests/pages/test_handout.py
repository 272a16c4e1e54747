import re
from dataclasses import replace

import pytest

from core.figures.svg.paper import paper_axes, paper_grid
from pages.components.lesson.handout import handout_html
from pages.content.lesson_plan import closing_questions
from pages.content.lessons import LESSONS
from pages.content.markdown import html_of
from pages.content.pages import MASKS, TRAIN
from tests.conftest import ChangeSetting, numbers
from tests.pages.conftest import open_page
from tests.pages.test_lesson_file import ASKED, OWN

MAX_BYTES = 100_000  # of a handout


@pytest.mark.parametrize("minutes", LESSONS)
def test_a_handout_has_every_step_and_needs_nothing_else(minutes: str) -> None:
    plan = LESSONS[minutes]
    document = handout_html(plan)
    assert len(document.encode()) < MAX_BYTES
    assert not re.search(r"<(script|link|img|iframe)\b|\b(src|href|data|action)=|@import", document)
    assert not re.search(r"url\((?!#)", document)  # arrows point at heads of their own
    for number, step in enumerate(plan.steps, start=1):
        title = plan.title_of(number)
        (minutes,) = re.findall(rf"<h2>{number}\. {title} <small>(.*?)</small></h2>", document)
        assert numbers(minutes) == [str(step.minutes)]
        assert step.task in re.sub(r"<[^>]+>", "", document)


@pytest.mark.parametrize("minutes", LESSONS)
def test_what_the_screen_asks_is_asked_once_and_answered_on_the_last_page(minutes: str) -> None:
    plan = LESSONS[minutes]
    questions, answers = handout_html(plan).split('<section class="answers">')
    asked = [int(number) for number in re.findall(r'class="exercise">\D*(\d+)', questions)]
    closing = [exercise for _, exercise in closing_questions(plan)]
    steps = [step.texts.exercise for step in plan.steps if step.texts and step.texts.exercise]
    assert asked == list(range(1, len({exercise.key for exercise in (*steps, *closing)}) + 1))
    in_order = sorted((*steps, *closing), key=lambda each: questions.index(html_of(each.question)))
    answered = re.findall("<li><strong>(.*?)</strong>", answers)
    assert answered == [html_of(exercise.right) for exercise in in_order]
    for exercise in (*steps, *closing):
        assert questions.count(html_of(exercise.question)) == 1
        assert exercise.why[:20] not in questions
    assert not re.search(r"\*\*|`", questions + answers)  # no Markdown is left


def test_without_exercises_there_is_no_page_of_answers(change_setting: ChangeSetting) -> None:
    change_setting("exercises", False)
    document = handout_html(LESSONS["60"])
    assert 'class="exercise"' not in document and 'class="answers"' not in document
    assert LESSONS["60"].steps[-1].task in document


def test_a_teacher_s_own_questions_and_notes_are_in_it_as_typed() -> None:
    document = handout_html(OWN)
    assert f"<h1>{OWN.title}</h1>" in document
    body, *rest = document.split('<section class="answers">')
    assert f"☐ {ASKED.answer}" in body and "Ask Paul." not in body
    assert f"<strong>{ASKED.answer}</strong>" in rest[0] and "Ask Paul." in "".join(rest)
    hostile = replace(OWN, title="<script>", steps=(replace(OWN.steps[0], task="<b>x", note="<i>y"),))
    assert not re.search("<script>|<b>|<i>y", handout_html(hostile))


def test_pages_that_a_server_leaves_out_are_not_in_its_handout(change_setting: ChangeSetting) -> None:
    change_setting("pages", "train,masks")
    document = handout_html(LESSONS["30"])
    assert re.findall(r"<h2>\d\. ([^<]+) <small>", document) == [TRAIN.title, MASKS.title]
    left = [step.minutes for step in LESSONS["30"].steps if step.page in (TRAIN, MASKS)]
    assert LESSONS["30"].minutes == sum(left), "as Home says of the lesson"


def test_what_is_drawn_for_paper() -> None:
    grid = paper_grid(["<a>", "b"], ["c"], [[0.0], [1.0]])
    assert "&lt;a&gt;" in grid and "<a>" not in grid
    assert re.findall(r'fill="rgb\((\d+),', grid) == ["255", "52"]  # blue, and a pencil still shows
    assert 'fill="rgb(255,255,255)"' in paper_grid(["a"], ["b"])
    assert "polyline" not in paper_axes("step", "loss")
    assert "polyline" in paper_axes("step", "loss", [(0, 0), (1, 1)])


def test_home_offers_the_handout_of_the_lesson_chosen() -> None:
    assert not open_page().get("download_button")
    assert open_page(lesson="30").get("download_button")
