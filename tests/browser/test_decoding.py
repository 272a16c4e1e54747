"""Decoding step by step in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import new_visitor, visitor_in
from tests.browser.first_screen import settle

pytestmark = pytest.mark.browser

ADDRESS = "decoding?model=anki_en_fr&sentence=I%20am%20very%20happy."


@pytest.fixture
def opened(profile: BrowserContext, address: str) -> Iterator[Page]:
    with visitor_in(profile, f"{address}/{ADDRESS}") as page:
        expect(page.get_by_role("heading", name="What to notice")).to_be_attached()
        yield page


def tokens_of(page: Page) -> Locator:
    """The line of tokens."""
    return page.locator("p", has_text="[END]")


def others(page: Page) -> Locator:
    """The tokens to say instead."""
    return page.get_by_role("radiogroup", name="Choose another token").get_by_role("radio")


def test_force_a_token_and_undo(opened: Page, browser: Browser, address: str) -> None:
    tokens = tokens_of(opened)
    before = tokens.inner_text()
    expect(opened.get_by_role("button", name="Undo")).to_be_disabled()
    others(opened).first.click()
    expect(tokens).to_contain_text("✎")
    expect(opened).to_have_url(re.compile("said=f"))
    forced = tokens.inner_text()

    with new_visitor(browser, opened.url) as other:  # a link shows the same
        expect(tokens_of(other)).to_have_text(forced)

    opened.get_by_role("button", name="Undo").click()
    expect(tokens).to_have_text(before)
    expect(opened).not_to_have_url(re.compile("said="))


def test_by_keyboard(opened: Page) -> None:
    slider = opened.get_by_role("slider")
    slider.focus()
    opened.keyboard.press("ArrowRight")
    expect(slider).to_have_value("2")
    expect(opened).to_have_url(re.compile("at=2"))
    opened.get_by_role("button", name="Next step").press("Enter")
    expect(slider).to_have_value("3")
    settle(opened)  # a token pressed before its step is drawn would be the step's before
    others(opened).first.press("Enter")
    expect(opened.get_by_text("You chose it")).to_be_visible()


def test_beams_and_samples(opened: Page) -> None:
    opened.get_by_role("radio", name="Beam search").click()
    expect(opened.get_by_text("Why the winner won")).to_be_visible()
    opened.get_by_role("button", name="Next step").click()
    expect(opened.get_by_text(re.compile("Step 2: of 8 hypotheses"))).to_be_visible()
    opened.get_by_role("radio", name="Sampling").click()
    expect(opened.get_by_text(re.compile("of 4 are different"))).to_be_visible()
