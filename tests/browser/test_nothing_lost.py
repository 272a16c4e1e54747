"""What is chosen is kept: by an address, by Back, by a reload; and a lesson leads to its end."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from pages.components.content import PAGE_TEXTS
from pages.components.lessons import LESSONS
from pages.components.menu import ATTENTION_BY_HAND, LEARNING_RATE, TRAIN, PageEntry
from tests.browser import walk
from tests.browser.conftest import ALL_RIGHT, Visit, expect_page, new_profile, press, settle, wait_for

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("page", [LEARNING_RATE, ATTENTION_BY_HAND], ids=lambda page: page.address)
def test_an_address_shows_the_same_view_in_a_fresh_browser(
    profile: BrowserContext, browser: Browser, address: str, page: PageEntry
) -> None:
    """With every control moved: numbers, kept curves, tables. All other views and pages: tests.browser.walk."""
    with closing(new_profile(browser)) as fresh:
        walk.compare_in(fresh, profile, address, page, views=2)


@pytest.mark.parametrize(
    ("lead_on", "query", "minutes"), [(walk.by_strip, "", 10), (walk.by_keys, "&present=true", 30)]
)
def test_a_lesson_leads_to_its_end(
    visit: Visit, lead_on: Callable[[Page], None], query: str, minutes: int
) -> None:
    """All three in both ways: tests.browser.walk."""
    tab = visit(f"?lesson={minutes}{query}")
    walk.walk_lesson(tab, LESSONS[minutes], lead_on)


def test_back_shows_each_page_as_it_was_left(visit: Visit) -> None:
    """In one press, with a lesson followed, other models chosen and tables edited."""
    tab, steps = visit("?lesson=30"), LESSONS[30].shown[:5]
    left: list[list[str]] = []
    for number, step in enumerate(steps, start=1):
        before = tab.evaluate("history.length")
        walk.by_strip(tab)
        expect_page(tab, step.page.title)
        settle(tab)
        if step.page == TRAIN:
            press(tab, "Start")
            wait_for(tab, tab.get_by_role("heading", name=ALL_RIGHT))
            settle(tab)
        else:
            # "Current model" is one that later pages choose.
            walk.move_all(tab, {PAGE_TEXTS[step.page.address].parameter, "shown_model"})
        left.append(walk.shown(tab))
        assert tab.evaluate("history.length") == before + 1, number
    # Train names the current model, which later steps have chosen.
    for step, seen in reversed(list(zip(steps, left, strict=True))[1:-1]):
        tab.go_back()
        expect_page(tab, step.page.title)
        assert walk.shown(tab) == seen
    tab.go_forward()
    expect_page(tab, steps[2].page.title)
    assert walk.shown(tab) == left[2]


def test_page_down_scrolls_where_no_lesson_goes_on(visit: Visit) -> None:
    tab = visit("architecture?present=true")
    tab.mouse.click(640, 400)
    tab.keyboard.press("PageDown")
    tab.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")


def test_a_presenter_goes_through_steps_by_arrows_and_types(visit: Visit) -> None:
    tab = visit("attention_by_hand?present=true&lesson=30")
    expect(tab.get_by_test_id("stSidebar")).to_be_hidden()
    tab.keyboard.press("ArrowRight")
    expect(tab).to_have_url(re.compile("step_by_step=on"))
    settle(tab)
    tab.keyboard.press("ArrowRight")
    expect(tab).to_have_url(re.compile("step=2"))
    settle(tab)
    tab.keyboard.press("PageUp")
    expect_page(tab, "Positional encoding")
    settle(tab)
    box = tab.get_by_role("textbox").first
    box.fill("the dog sleeps")
    box.press("Enter")
    expect(tab).to_have_url(re.compile("shuffled_words=the"))
    settle(tab)
    tab.keyboard.press("PageDown")  # no longer in the box
    expect_page(tab, "Attention by hand")
    settle(tab)
    tab.keyboard.press("Escape")
    expect(tab.get_by_test_id("stSidebar")).to_be_visible()
