"""The class's model in one page: downloaded, opened without a server, in a frame, and answered on a phone."""

import dataclasses
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from core.checkpoints.checkpoint import Checkpoint
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.figures.theme import percent
from core.language import _
from core.records.question import ChoiceQuestion
from core.server.trained_model import TrainedModel
from pages.components.one_page.page import Filling, model_page
from pages.components.one_page.task import task_data
from pages.content.lesson_plan import LessonStep
from pages.content.pages import MASKS, TRANSLATE
from tests.browser.app import PATIENCE
from tests.browser.conftest import PHONE, PROJECTOR, press, settle

pytestmark = pytest.mark.browser

UNKNOWN = "je suis zut"


@contextmanager
def offline(browser: Browser, address: str, screen: ViewportSize = PROJECTOR) -> Iterator[Page]:
    """Open a file without a network: it must ask for nothing else, and its console must have no errors."""
    profile = browser.new_context(viewport=screen, offline=True)
    page = profile.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(address)
        yield page
    finally:
        profile.close()
    assert not said and [url for url in asked if not url.startswith(("data:", "blob:"))] == [address]


def download(page: Page, button: Locator, to: Path) -> Path:
    with page.expect_download(timeout=PATIENCE) as found:
        press(page, button)
    found.value.save_as(to)
    return to


def as_in_the_page(checkpoint: Checkpoint) -> Checkpoint:
    """Return a model with its weights rounded as a page has them."""
    weights = {
        name: array.astype(np.float16).astype(np.float32) for name, array in checkpoint.weights.items()
    }
    return dataclasses.replace(checkpoint, weights=weights)


def test_a_downloaded_page_computes_what_python_does(
    trained_page: Page, browser: Browser, tmp_path: Path
) -> None:
    file = download(
        trained_page, trained_page.locator(".st-key-download_trained button"), tmp_path / "m.safetensors"
    )
    press(trained_page, trained_page.get_by_role("button", name="Download as a page"))
    settle(trained_page)
    page_file = download(
        trained_page, trained_page.locator("[class*=st-key-page_file] button"), tmp_path / "m.html"
    )
    trained_page.keyboard.press("Escape")
    assert page_file.stat().st_size < 600_000
    translator = as_in_the_page(Checkpoint.load(file)).translator()
    with offline(browser, page_file.as_uri()) as page:
        box, target = page.get_by_label("Sentence"), page.locator(".target")
        for sentence in (*(pair.source for pair in PAIRS), UNKNOWN):
            box.fill(sentence)
            explained = translator.explain(sentence, typed=True)
            expect(target).to_have_text(explained.translation.text)
            shown = page.locator(".steps button span").all_inner_texts()
            wanted = [percent(each.probability) for step in explained.candidates for each in step]
            assert [each.replace(" ", "") for each in shown] == [each.replace(" ", "") for each in wanted]
        expect(page.locator(".note").first).to_contain_text("zut")
        page.get_by_label("Search").select_option("4")
        for sentence in (pair.source for pair in PAIRS[:5]):
            box.fill(sentence)
            found = translator.translate([sentence], DecodingConfig(beam_size=4))[0]
            expect(target).to_have_text(found.text)
        page.get_by_label("Search").select_option("1")
        box.fill("j aime l eau")
        attention = translator.explain("j aime l eau").attention.cross[0, 0]
        page.locator("[data-head='1.1']").click()
        row, column = np.unravel_index(attention[:-1].argmax(), attention[:-1].shape)
        expect(page.locator(".stage .status")).to_contain_text(f"{attention[row, column]:.2f}")
        second = page.locator(".steps li").first.locator("button").nth(1)
        began = second.locator("bdi").inner_text()
        second.press("Enter")
        expect(target).to_have_text(re.compile(f"^{began}\\b"))
        expect(second).to_be_focused()
        box.fill("")
        expect(page.locator(".steps")).to_be_hidden()


@pytest.fixture
def homework(checkpoint: Checkpoint, tmp_path: Path) -> Path:
    """A page with a teacher's own tasks in a frame of a page without an encoding, as on a learning platform."""
    asked = ChoiceQuestion(
        "one", TRANSLATE.address, "Which is first?", "i", "It has most.", {"you": "Look at the bars."}
    )
    counted = ChoiceQuestion(
        "two", MASKS.address, "How many heads?", "4", "All four.", {"2": "Count again."}, moment="prediction"
    )
    steps = [
        LessonStep(TRANSLATE, 1, "Translate **one** sentence.", asks="before", question=asked),
        LessonStep(MASKS, 1, "Count.", asks="before", question=counted),
        LessonStep(TRANSLATE, 1, "Press another candidate.", asks="none"),
    ]
    filling = Filling(task=task_data("Homework", steps))
    (tmp_path / "task.html").write_text(
        model_page(TrainedModel("Ours", checkpoint), filling), encoding="ascii"
    )
    host = tmp_path / "host.html"
    host.write_text(
        '<iframe src="task.html" sandbox="allow-scripts" style="width: 100%; height: 90vh"></iframe>'
    )
    return host


def test_homework_in_a_frame_is_checked_there_and_taken_away(homework: Path, browser: Browser) -> None:
    profile = browser.new_context(viewport=PHONE, offline=True)
    page = profile.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(homework.as_uri())
    inside = page.frame_locator("iframe")
    inside.get_by_role("button", name=re.compile("you$")).click()
    expect(inside.locator(".why").first).to_contain_text("Look at the bars.")
    right = inside.get_by_role("button", name=re.compile(r"\bi$")).first
    right.press("Enter")
    expect(inside.locator(".why").first).to_contain_text("It has most.")
    expect(right).to_be_focused()
    inside.get_by_role("button", name=re.compile("4$")).first.click()
    expect(inside.locator(".why").nth(1)).to_contain_text("All four.")
    inside.locator("summary").filter(has_text="My answers").click()
    inside.get_by_label("Name").fill("Ada")
    answers = inside.locator("pre")
    expect(answers).to_contain_text(f"you ({_('wrong')})")
    expect(answers).to_contain_text(f"4 ({_('right')})")
    inside.get_by_role("button", name=_("Copy my answers")).press("Enter")
    expect(inside.get_by_role("button", name=_("Copied"))).to_be_focused()
    assert not errors
    profile.close()
