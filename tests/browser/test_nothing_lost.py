"""What is chosen is kept by Back; keys lead through a lesson."""

import re

import pytest
from playwright.sync_api import expect

from pages.content.pages import ARCHITECTURE, ATTENTION_BY_HAND, LEARNING_RATE, MASKS, POSITIONAL_ENCODING
from pages.content.reader import PAGE_TEXTS
from tests.browser import walk
from tests.browser.conftest import Visit, expect_page, open_from_menu, settle

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_back_shows_each_page_as_it_was_left(visit: Visit) -> None:
    """In one press, with a lesson followed, another model chosen and a table edited."""
    steps = (ARCHITECTURE, ATTENTION_BY_HAND, LEARNING_RATE)
    tab = visit(f"{MASKS.address}?lesson=60")
    left: list[list[str]] = []
    for number, page in enumerate(steps, start=1):
        before = tab.evaluate("history.length")
        open_from_menu(tab, page)
        if page != steps[-1]:
            walk.move_all(tab, {PAGE_TEXTS[page.address].parameter})
            left.append(walk.shown(tab))
        assert tab.evaluate("history.length") == before + 1, number
    for page, seen in reversed(list(zip(steps, left, strict=False))):
        tab.go_back()
        expect_page(tab, page)
        assert walk.shown(tab) == seen
    tab.go_forward()
    expect_page(tab, steps[1])
    assert walk.shown(tab) == left[1]
    tab.reload()
    expect_page(tab, steps[1])
    assert walk.shown(tab) == left[1]


def test_a_presenters_keys_find_their_buttons(visit: Visit) -> None:
    tab = visit("attention_by_hand?present=true&lesson=30")
    expect(tab.get_by_test_id("stSidebar")).to_be_hidden()
    tab.keyboard.press("PageDown")  # the tables come with the answer, or without one
    expect(tab.locator(".number-tables").first).to_be_visible()
    settle(tab)
    tab.keyboard.press("ArrowRight")
    expect(tab).to_have_url(re.compile("step_by_step=on"))
    settle(tab)
    tab.keyboard.press("ArrowRight")
    expect(tab).to_have_url(re.compile("step=2"))
    settle(tab)
    tab.keyboard.press("PageUp")
    expect_page(tab, POSITIONAL_ENCODING)
    settle(tab)
    tab.keyboard.press("Escape")
    expect(tab.get_by_test_id("stSidebar")).to_be_visible()
