"""The learning player, watched, dragged and stepped through."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ALL_RIGHT, Visit, press, settle, wait_for

pytestmark = pytest.mark.browser

_SLOWER = 8  # times


def expect_epoch(page: Page, epoch: str) -> None:
    expect(page.locator(".player .when")).to_have_text(re.compile(rf"^epoch {epoch} of 200$"))


def test_a_slow_machine_draws_the_player_once(visit: Visit) -> None:
    """Its browser still loads the component when the next epoch comes."""
    page = visit("train")
    slowed = page.context.new_cdp_session(page)
    slowed.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
    press(page, "Start")
    wait_for(page, page.get_by_role("heading", name=ALL_RIGHT))
    expect(page.locator(".player .panels")).to_have_count(1)


def test_sentences_that_are_held_out_are_marked(visit: Visit) -> None:
    player = visit("train?setting_preset=Watch+it+generalize").locator(".player")
    expect(player.get_by_text("never shown", exact=True)).to_have_count(3)
    expect(player.get_by_text("tu veux le chat noir")).to_be_visible()


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
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    page.reload()
    expect_epoch(page, "200")
    expect(right).to_have_count(5)


def test_what_people_type_is_text(visit: Visit) -> None:
    page = visit("train")
    page.get_by_text("From a file", exact=True).click()
    typed = "<img src=x onerror=alert(1)> chat"
    content = f"{typed},<b>cat</b>\nle chien,the dog\n".encode()
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": content}
    )
    settle(page)
    expect(page.locator(".player").get_by_text(typed)).to_be_visible()
    expect(page.locator(".player img")).to_have_count(0)
