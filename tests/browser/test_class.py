"""A teacher's walk: a server with codes, a class that comes in, a QR code on the projector."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from pages.components.app.menu import PAGES
from tests.browser.app import running_app
from tests.browser.conftest import choose, menu_of, new_visitor, open_from_menu
from tests.browser.first_screen import settle

pytestmark = pytest.mark.browser

CLASS_CODE = "blue whale"
TEACHER_CODE = "humpback 1871"
BACK_ROW = 3  # how many pixels of the screen are one of a phone's camera there, each way


@pytest.fixture(scope="module")
def school(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in classroom mode that nobody has visited; the fixture `browser` has skipped without Chromium."""
    log = tmp_path_factory.mktemp("class") / "log"
    settings = {"class_code": CLASS_CODE, "teacher_code": TEACHER_CODE, "training_allowed": "false"}
    with running_app(log, settings) as address:
        yield address


def type_code(page: Page, label: str, code: str) -> None:
    box = page.get_by_label(label, exact=True)
    expect(box).to_be_visible()
    settle(page)
    box.fill(code)
    expect(page.get_by_text("Press Enter to submit form")).to_be_visible()  # the form has its button by now
    box.press("Enter")


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


def wait_for_ticket(page: Page, door: str) -> None:
    """Until the tab keeps what opens a door again after a reload."""
    page.wait_for_function("key => sessionStorage.getItem(key)", arg=f"transformer-classroom-{door}")


def screen_of(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def scanned(page: Page) -> str:
    """What a phone in the back row reads off the screen."""
    screen = screen_of(page)
    far = screen.resize((screen.width // BACK_ROW, screen.height // BACK_ROW), Image.Resampling.BOX)
    codes = zxingcpp.read_barcodes(far)
    return codes[0].text if codes else ""


def wait_for_code(page: Page, text: str) -> None:
    expect(page.locator(".code")).to_have_attribute("aria-label", re.compile(r"QR code of \S"))
    for _ in range(50):
        if scanned(page) == text:
            return
        page.wait_for_timeout(200)
    assert scanned(page) == text


def test_a_class_and_its_teacher(browser: Browser, school: str) -> None:
    with new_visitor(
        browser, f"{school}/masks?masks=causal"
    ) as student:  # the first visitor, at a page's own address
        type_code(student, "Class code", "grey whale")
        expect(student.get_by_text("That is not the class code")).to_be_visible()
        expect(student.get_by_test_id("stSidebarNav")).to_have_count(0)
        expect(student.get_by_role("heading", name="Masks")).to_have_count(0)
        type_code(student, "Class code", CLASS_CODE)
        heading(student, "Masks")
        expect(student.get_by_role("radio", name="Causal mask", exact=True)).to_be_checked()
        wait_for_ticket(student, "class")
        student.reload()  # asked once a tab
        heading(student, "Masks")

        expect(menu_of(student)).to_have_text([re.compile(re.escape(entry.title)) for entry in PAGES])
        student.goto(f"{school}/teacher")
        type_code(student, "Teacher's code", CLASS_CODE)
        expect(student.get_by_text("That is not the teacher's code")).to_be_visible()
        expect(student.locator(".code")).to_have_count(0)
        student.goto(f"{school}/train")
        heading(student, "Train")
        expect(student.get_by_text("Training is switched off on this server")).to_be_visible()
        expect(student.get_by_role("button", name="Start")).to_have_count(0)


def test_the_projector_leads_to_the_same_view(browser: Browser, school: str) -> None:
    with new_visitor(browser, f"{school}/teacher") as teacher:
        teacher.set_viewport_size({"width": 1280, "height": 720})
        type_code(teacher, "Teacher's code", TEACHER_CODE)
        heading(teacher, "Teacher")
        wait_for_code(teacher, f"{school}/")

        open_from_menu(teacher, "Masks")  # no class code for the teacher
        teacher.get_by_role("radio", name="Softmax").click()
        expect(teacher).to_have_url(re.compile("masks=softmax"))
        settle(teacher)  # the address comes before the run that remembers the view
        open_from_menu(teacher, "Teacher")
        choose(teacher, "Page", "Masks")
        expected = f"{school}/masks?masks=softmax"
        wait_for_code(teacher, expected)
        short = teacher.locator(".address").inner_text()
        assert len(short) < len(expected) - 10
        teacher.get_by_text("With the class code").click()
        wait_for_code(teacher, f"{expected}&code=blue+whale")
        assert teacher.locator(".address").inner_text() == short
        bottom = teacher.locator(".card").bounding_box()
        assert bottom is not None and bottom["y"] + bottom["height"] <= 720

        with new_visitor(browser, scanned(teacher)) as student:
            heading(student, "Masks")
            expect(student.get_by_role("radio", name="Softmax")).to_be_checked()
            expect(student).to_have_url(expected)
            wait_for_ticket(student, "class")
            student.goto(f"http://{short}")
            heading(student, "Masks")
            expect(student.get_by_role("radio", name="Softmax")).to_be_checked()

        teacher.emulate_media(color_scheme="dark")
        wait_for_ticket(teacher, "teacher")
        teacher.reload()  # the teacher's code is asked once a tab, too
        wait_for_code(teacher, f"{school}/masks")
        corner = screen_of(teacher).getpixel((1270, 10))
        assert isinstance(corner, tuple) and max(corner) < 64  # the page is dark, and the code is not


def test_embedded_a_page_begins_with_its_view(browser: Browser, school: str) -> None:
    with new_visitor(browser, f"{school}/masks?masks=causal&code=blue+whale&embed=true") as frame:
        frame.set_viewport_size({"width": 800, "height": 520})
        heading(frame, "Masks")
        expect(frame.get_by_role("radio", name="Causal mask", exact=True)).to_be_in_viewport()
        expect(frame.get_by_test_id("stSidebarNav")).not_to_be_in_viewport()
        assert frame.evaluate("document.documentElement.scrollWidth") <= 800
        frame.get_by_role("link", name="Next:").click()
        expect(frame).to_have_url(re.compile(r"embed=true"))
        assert "code" not in frame.url
