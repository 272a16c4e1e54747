"""Untrusted text in a checkpoint or a link fetches nothing and cannot be clicked."""

from dataclasses import replace
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from core.records.text import Pair
from pages.content.pages import CHECKPOINTS, TRANSLATE
from tests.browser.conftest import open_from_menu, press, visitor_in
from tests.conftest import subword_checkpoint
from tests.pages.test_addresses import EVIL, HOSTILE_TEXT

pytestmark = pytest.mark.browser


def hostile_file() -> bytes:
    examples = (
        Pair(f"a casa www.{EVIL} http://{EVIL}", HOSTILE_TEXT[:300]),
        Pair(HOSTILE_TEXT[:300], "the house"),
    )
    return replace(
        subword_checkpoint(examples=examples), name=f"![n](http://{EVIL}) www.{EVIL}", card=HOSTILE_TEXT
    ).to_bytes()


def check_page(page: Page, part: str = "stMain") -> None:
    expect(page.get_by_test_id(part).get_by_text(EVIL).first).to_be_visible()
    assert page.locator(f"a[href*='{EVIL}'], [src*='{EVIL}']").count() == 0


@pytest.mark.long
def test_a_strangers_text_is_only_text(profile: BrowserContext, address: str) -> None:
    file = f"{address}/{CHECKPOINTS.file.removeprefix('pages/').removesuffix('.py')}"
    with visitor_in(profile, file) as page:
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(request.url))
        page.locator("input[type=file]").set_input_files(
            {"name": "model.safetensors", "mimeType": "application/octet-stream", "buffer": hostile_file()}
        )
        expect(page.locator("[class*=st-key-delete_]")).to_be_visible()
        for card in page.get_by_test_id("stMain").locator("summary").all():
            press(page, card)
        check_page(page)
        open_from_menu(page, TRANSLATE)
        press(page, "translate_text")
        expect(page.locator(".st-key-candidates .js-plotly-plot")).to_be_visible()
        press(page, page.locator(".st-key-row_sentence").get_by_test_id("stPopoverButton").first)
        check_page(page, "stPopoverBody")  # its examples
        page.goto(
            f"{address}/translate?sentence={quote('a casa ' + HOSTILE_TEXT[:300])}&model={quote('www.' + EVIL)}"
        )
        check_page(page)
        assert fetched and not [url for url in fetched if EVIL in url.partition("?")[0]]
