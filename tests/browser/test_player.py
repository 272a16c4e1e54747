"""The learning player, watched, dragged and stepped through."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PAUSE

pytestmark = pytest.mark.browser


def expect_epoch(page: Page, epoch: str) -> None:
    expect(page.locator(".player .when")).to_have_text(re.compile(rf"\b{epoch}\D+200$"))


def test_a_training_is_watched_dragged_and_stepped_through(trained_page: Page) -> None:
    page = trained_page
    player, right = page.locator(".player"), page.locator(".player .row.right")
    expect_epoch(page, "200")
    expect(right).to_have_count(5)

    player.press("Home")
    expect_epoch(page, "0")
    expect(right).to_have_count(0)
    for _ in range(2):
        player.press("ArrowRight")
    expect_epoch(page, "1")
    curve = player.locator(".curve svg").bounding_box()
    assert curve is not None
    page.mouse.move(curve["x"] + 0.3 * curve["width"], curve["y"] + 60)
    page.mouse.down()
    page.mouse.move(curve["x"] + curve["width"] - 2, curve["y"] + 60)
    page.mouse.up()
    expect_epoch(page, "200")
    player.get_by_role("button", name="où est la gare").click()
    expect(player.locator(".attention")).to_contain_text("station")
    player.press(" ")
    expect(player.get_by_text(PAUSE)).to_be_visible()
    page.reload()
    expect_epoch(page, "200")
    expect(right).to_have_count(5)
