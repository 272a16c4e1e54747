"""A server with a class code: a class that comes in, a QR code on the projector."""

import io
from collections.abc import Iterator

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import BrowserContext, Page, expect

from pages.content.pages import MASKS
from pages.content.reader import PAGE_TEXTS
from tests.browser.app import PATIENCE, running_app
from tests.browser.conftest import button_of, expect_menu, expect_page, press, settle, visitor_in

pytestmark = pytest.mark.browser

CLASS_CODE = "blue whale"
VIEWS = PAGE_TEXTS[MASKS.address].views
BACK_ROW = 3  # how many pixels of the screen are one of a phone's camera there, each way


@pytest.fixture(scope="module")
def school(profile: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server in classroom mode without visitors; without Chromium, the fixture `profile` has skipped."""
    log = tmp_path_factory.mktemp("class") / "log"
    with running_app(log, {"class_code": CLASS_CODE}) as address:
        yield address


def type_code(page: Page, code: str) -> None:
    box = page.locator("input[type=password]")
    expect(box).to_be_visible()
    settle(page)
    box.fill(code)
    expect(page.get_by_text("Press Enter to submit form")).to_be_visible()  # the form has its button by now
    box.press("Enter")


def scanned(page: Page) -> str:
    """Read the QR code as a phone in the back row does."""
    screen = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    far = screen.resize((screen.width // BACK_ROW, screen.height // BACK_ROW), Image.Resampling.BOX)
    codes = zxingcpp.read_barcodes(far)
    return codes[0].text if codes else ""


def wait_for_code(page: Page, text: str) -> None:
    for _ in range(PATIENCE // 200):
        if scanned(page) == text:
            return
        page.wait_for_timeout(200)
    assert scanned(page) == text


@pytest.mark.long
def test_a_class_comes_in(profile: BrowserContext, school: str) -> None:
    with visitor_in(profile, f"{school}/masks?masks_view=causal") as student:
        type_code(student, "grey whale")
        expect(student.get_by_test_id("stAlert")).to_be_visible()
        expect(student.get_by_test_id("stSidebarNav")).to_have_count(0)
        expect(student.get_by_role("heading", name=MASKS.title)).to_have_count(0)
        type_code(student, CLASS_CODE)
        expect_page(student, MASKS)
        expect(student.get_by_role("radio", name=VIEWS["causal"].title, exact=True)).to_be_checked()
        # What opens the door again after a reload.
        student.wait_for_function("sessionStorage.getItem('transformer-classroom-class')")
        student.reload()  # asked once a tab
        expect_page(student, MASKS)
        expect_menu(student)


@pytest.mark.long
def test_the_qr_code_leads_to_the_same_view_also_in_the_dark(profile: BrowserContext, school: str) -> None:
    expected = f"{school}/masks?masks_view=softmax"
    with visitor_in(profile, f"{expected}&code=blue+whale") as teacher:
        teacher.emulate_media(color_scheme="dark")
        expect_page(teacher, MASKS)
        expect(button_of(teacher, "share")).to_be_in_viewport()
        press(teacher, "share")
        dialog = teacher.get_by_role("dialog")
        expect(dialog.get_by_test_id("stCode")).to_contain_text(expected)
        expect(dialog.locator(".st-key-qr_code img")).to_be_in_viewport(ratio=1)
        wait_for_code(teacher, expected)
        press(teacher, dialog.locator(".st-key-code_in_qr label"))
        wait_for_code(teacher, f"{expected}&code=blue+whale")
        expect(dialog.get_by_test_id("stCode")).not_to_contain_text("blue")

        with visitor_in(profile, scanned(teacher)) as student:
            expect_page(student, MASKS)
            expect(student.get_by_role("radio", name=VIEWS["softmax"].title)).to_be_checked()
            expect(student).to_have_url(expected)


@pytest.mark.long
def test_a_frame_shows_one_view(profile: BrowserContext, school: str) -> None:
    address = f"{school}/masks?masks_view=causal&code=blue+whale&embed=true"
    with visitor_in(profile, address) as frame:
        frame.set_viewport_size({"width": 800, "height": 520})
        expect_page(frame, MASKS)
        expect(frame.get_by_role("radio", name=VIEWS["causal"].title, exact=True)).to_be_in_viewport()
        assert frame.evaluate("document.documentElement.scrollWidth") <= 800
        assert "code" not in frame.url
