"""Every page and view on a projector and a phone: one tab walks through all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from pages.components.app.content import PAGE_TEXTS
from pages.components.app.menu import (
    ATTENTION_MAPS,
    DECODING,
    HOME,
    PAGES,
    TRANSLATE,
    PageEntry,
)
from pages.components.attention_maps import map_choice
from tests.browser.conftest import visitor_in
from tests.browser.first_screen import faint_texts, go, seen

pytestmark = pytest.mark.browser

PROJECTOR, PHONE = (1280, 720), (360, 740)  # a laptop shows more than a projector does
HALF = 0.5


def views_of(entry: PageEntry) -> list[str]:
    """The addresses of a page's views, behind the "?"; of a page without views, one that says nothing."""
    if entry == ATTENTION_MAPS:
        return [
            f"view={name}" for name in get_args(map_choice.View) if name != "film"
        ]  # needs a trained model
    if entry in (TRANSLATE, DECODING):
        return [f"search={name}" for name in ("greedy", "beam", "sample")]
    texts = PAGE_TEXTS[entry.address]
    return [f"{texts.parameter}={name}" for name, view in texts.views.items() if view.title] or [""]


VIEWS = [(entry, view) for entry in PAGES for view in views_of(entry)]


@pytest.fixture(scope="module")
def tab(profile: BrowserContext, address: str) -> Iterator[Page]:
    with visitor_in(profile, address) as page:
        yield page


@pytest.mark.parametrize(("entry", "view"), VIEWS, ids=lambda part: getattr(part, "address", part))
def test_the_figure_comes_first_and_nothing_is_wider_than_a_phone(
    tab: Page, entry: PageEntry, view: str
) -> None:
    tab.set_viewport_size({"width": PROJECTOR[0], "height": PROJECTOR[1]})
    go(tab, f"/{'' if entry == HOME else entry.address}?{view}")
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    shown = {size: seen(tab, *size) for size in (PROJECTOR, PHONE)}
    assert shown[PHONE].width <= PHONE[0]
    # That of two pages comes when a button has been pressed; one has cards alone, and one its table above the figure.
    if entry.address not in ("train", "evaluate", "checkpoints", "data"):
        assert shown[PROJECTOR].share >= HALF, shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_can_be_read(tab: Page, scheme: str) -> None:
    tab.set_viewport_size({"width": PROJECTOR[0], "height": PROJECTOR[1]})
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    faint: dict[str, float] = {}
    for entry in PAGES:
        go(tab, f"/{'' if entry == HOME else entry.address}?{views_of(entry)[-1]}")
        faint |= {f"{entry.title}: {text}": ratio for text, ratio in faint_texts(tab).items()}
    assert faint == {}


def test_a_figure_that_scrolls_says_so(tab: Page) -> None:
    go(tab, "/masks?masks=padding")
    figures = '[class*=st-key-]:has(> [data-testid="stElementContainer"] [data-testid="stPlotlyChart"])'
    found = []
    for width in (PHONE[0], 820, PROJECTOR[0]):
        tab.set_viewport_size({"width": width, "height": PROJECTOR[1]})
        expect(tab.locator(".js-plotly-plot").first).to_be_visible()
        found.append(
            tab.locator(figures).first.evaluate(
                "(each) => [each.scrollWidth > each.clientWidth, getComputedStyle(each, '::before').content !== 'none']"
            )
        )
    assert found == [[True, True], [False, False], [False, False]]


def test_a_presenter_sees_the_curves_before_what_they_mean(profile: BrowserContext, address: str) -> None:
    with visitor_in(profile, address) as page:
        page.set_viewport_size({"width": PROJECTOR[0], "height": PROJECTOR[1]})
        page.goto(f"{address}/train?present=1")
        page.get_by_role("button", name="Start").click()
        meaning = page.get_by_text("Memorized")
        expect(meaning).to_be_attached(timeout=120_000)
        curves = page.locator(".js-plotly-plot").first
        expect(curves).to_be_in_viewport(ratio=0.4)
        heading, first, second = (
            place.evaluate("(each) => each.getBoundingClientRect().top")
            for place in (page.get_by_role("heading", name="Train"), curves, meaning)
        )
        assert heading < 60 and first < second
