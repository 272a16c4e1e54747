"""A sentence runs through the model: it plays, steps, is pointed at and opened, and a link keeps where it was."""

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from pages.content.reader import Living, read_content
from tests.browser.conftest import PAUSE, Visit, settle, visitor_in
from tests.browser.test_look_inside import COUNT_MESSAGES

pytestmark = pytest.mark.browser


def title_of(phase: str) -> str:
    (title,) = (each.title for each in read_content("living.toml", Living).phase if each.name == phase)
    return str(title)


@pytest.mark.long
def test_a_sentence_runs_through_the_model(visit: Visit, profile: BrowserContext) -> None:
    page = visit("architecture?sentence=porque é que aprendemos línguas?&moment=4")
    picture = page.locator(".living")
    box, panel = picture.locator(".box.encoder_attention"), picture.locator(".panel")
    expect(picture.locator(".caption strong")).to_have_text(title_of("self_attention"))
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
    expect(picture.locator(".count")).to_contain_text(re.compile(r"\b5\b"))
    expect(page).to_have_url(re.compile(r"moment=5$"))
    box.press("Enter")
    expect(panel.get_by_text(re.compile("1.*1.*“porque”"))).to_be_visible()
    words.nth(1).click()
    expect(panel.get_by_text(re.compile("1.*1.*“é”"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"moment=5\.encoder_attention\.1\.1\.s2"))
    with visitor_in(profile, page.url.split("&moment")[0]) as other:
        caption = other.locator(".living .caption strong")
        expect(caption).to_have_text(title_of("end"))  # at first, then it plays
        expect(caption).to_have_text(title_of("vectors"))
    with visitor_in(profile, page.url) as other:
        expect(other.locator(".living .count")).to_contain_text(re.compile(r"\b5\b"))
        expect(other.locator(".living .panel").get_by_text(re.compile("1.*“é”"))).to_be_visible()
    picture.press("Escape")
    expect(panel).to_be_hidden()
    picture.get_by_role("slider").press("End")
    expect(picture.locator(".caption strong")).to_have_text(title_of("end"))
    picture.press(" ")
    expect(picture.get_by_text(PAUSE)).to_be_visible()
    expect(picture.locator(".caption strong")).to_have_text(title_of("vectors"))
