"""A sentence runs through the model: it plays, steps, is pointed at and opened, and a link keeps where it was."""

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Visit, settle, visitor_in
from tests.browser.test_look_inside import COUNT_MESSAGES

pytestmark = pytest.mark.browser


def test_a_sentence_runs_through_the_model(visit: Visit, profile: BrowserContext) -> None:
    page = visit("architecture?sentence=porque é que aprendemos línguas?&moment=4")
    picture = page.locator(".living")
    box, panel = picture.get_by_role("button", name="Self-attention", exact=True), picture.locator(".panel")
    expect(picture.locator(".caption strong")).to_have_text("Self-attention")
    assert picture.bounding_box()["y"] + picture.bounding_box()["height"] <= 720  # type: ignore[index]
    settle(page, times=15)  # what the page still says after it was loaded
    page.evaluate(COUNT_MESSAGES)
    words = picture.locator(".word")
    words.nth(1).hover()
    expect(words.nth(1)).to_have_css("opacity", "1")
    expect(words.nth(4)).to_have_css("opacity", re.compile(r"0\.\d+"))
    assert page.evaluate("window.messages") == 0
    page.mouse.move(5, 5)
    picture.focus()
    picture.press("ArrowRight")
    expect(picture.locator(".count")).to_contain_text("5 of")
    expect(page).to_have_url(re.compile(r"moment=5$"))
    box.press("Enter")
    expect(panel.get_by_text("Self-attention, layer 1, head 1: “porque”")).to_be_visible()
    words.nth(1).click()
    expect(panel.get_by_text("Self-attention, layer 1, head 1: “é”")).to_be_visible()
    expect(page).to_have_url(re.compile(r"moment=5\.encoder_attention\.1\.1\.s2"))
    with visitor_in(profile, page.url.split("&moment")[0]) as other:
        caption = other.locator(".living .caption strong")
        expect(caption).to_have_text("The translation is complete")  # at first, then it plays
        expect(caption).to_have_text("Each token becomes a vector")
    with visitor_in(profile, page.url) as other:
        expect(other.locator(".living .count")).to_contain_text("5 of")
        expect(other.locator(".living .panel").get_by_text("head 1: “é”")).to_be_visible()
    picture.press("Escape")
    expect(panel).to_be_hidden()
    picture.get_by_role("slider", name="Step").press("End")
    expect(picture.locator(".caption strong")).to_have_text("The translation is complete")
    picture.press(" ")
    expect(picture.get_by_role("button", name="Pause")).to_be_visible()
    expect(picture.locator(".caption strong")).to_have_text("Each token becomes a vector")
