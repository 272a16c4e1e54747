"""Every page on a projector and on a phone in the dark: one tab goes through all. Views: tests.browser.walk."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from pages.components.frame.presenting import LEADS_ON
from pages.content.pages import ALL_PAGES, DATA, HOME, MASKS, SECTIONS, TRANSLATE, PageEntry
from tests.browser.conftest import PHONE, PROJECTOR, Visit, press, settle, visitor_in
from tests.browser.walk import FIGURES, measure_figure, serious

pytestmark = [pytest.mark.browser, pytest.mark.long]

# Elsewhere, and in a batch of lines, it appears after a click, or there is none.
_WITH_FIGURE = (HOME, *SECTIONS["Understand"], TRANSLATE, *SECTIONS["Look inside"], DATA)
_EVERY_PAGE = pytest.mark.parametrize("entry", ALL_PAGES, ids=lambda entry: entry.address)
_MOST = 0.8  # of a figure, and of a projector's screen

_GO = """(address) => {
  history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""


@pytest.fixture(scope="module")
def tab(profile: BrowserContext, address: str) -> Iterator[Page]:
    with visitor_in(profile, address) as page:
        page.emulate_media(reduced_motion="reduce")  # so that words have come which come one after the other
        yield page


def go(tab: Page, entry: PageEntry) -> None:
    """Open a page as Back and Forward do, without reloading the app."""
    tab.evaluate(_GO, f"/{'' if entry == HOME else entry.address}")
    settle(tab)


def resize(tab: Page, size: ViewportSize) -> None:
    tab.set_viewport_size(size)
    settle(tab, 3)  # figures are redrawn within 100 ms; no script runs


@_EVERY_PAGE
def test_on_a_projector_the_figure_comes_first_and_everyone_can_read_it(tab: Page, entry: PageEntry) -> None:
    go(tab, entry)
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    if entry in _WITH_FIGURE:
        expect(tab.locator(FIGURES).locator("visible=true").first).to_be_attached()
        assert measure_figure(tab).shown >= _MOST
    assert serious(tab) == []


@pytest.fixture(scope="module")
def dark_phone(tab: Page) -> Page:
    tab.emulate_media(color_scheme="dark")
    resize(tab, PHONE)
    return tab


@_EVERY_PAGE
def test_on_a_phone_in_the_dark_nothing_is_cut_off_and_everyone_can_read_it(
    dark_phone: Page, entry: PageEntry
) -> None:
    go(dark_phone, entry)
    assert dark_phone.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
    assert serious(dark_phone) == []


def test_a_figure_that_scrolls_says_so(tab: Page) -> None:
    go(tab, MASKS)
    figures = '[class*=st-key-]:has(> [data-testid="stElementContainer"] [data-testid="stPlotlyChart"])'
    for width in (PHONE["width"], 820, PROJECTOR["width"]):
        resize(tab, {"width": width, "height": PROJECTOR["height"]})
        scrolls, says_so = tab.locator(figures).first.evaluate(
            "(each) => [each.scrollWidth > each.clientWidth, getComputedStyle(each, '::before').content !== 'none']"
        )
        assert scrolls == says_so == (width == PHONE["width"])


def test_a_presenters_figure_takes_most_of_the_screen(visit: Visit) -> None:
    """All other views: tests.browser.walk."""
    tab = visit("learning_rate?lesson=60&present=true")
    press(tab, LEADS_ON)
    expect(tab.locator(".st-key-predicted")).to_be_visible()
    settle(tab)
    figure = measure_figure(tab)
    assert figure.shown == 1 and figure.height > 0.55, figure  # below two rows of controls and the answer


def test_a_presenters_title_view_and_sentence_stand_in_one_line_above_the_figure(visit: Visit) -> None:
    page = visit("inside?present=true")
    title = page.get_by_role("heading", level=1)
    view = page.locator(".st-key-inside_view [data-testid=stSelectbox]")
    sentence = page.locator(".st-key-bar_sentence_inside summary")
    boxes = [part.bounding_box() or pytest.fail("hidden") for part in (title, view, sentence)]
    ends = [box["y"] + box["height"] for box in boxes]
    assert max(box["y"] for box in boxes) < min(ends)
    figure = page.locator(".js-plotly-plot").first.bounding_box()
    assert figure is not None and figure["y"] >= max(ends)


def test_figures_follow_light_and_dark(visit: Visit) -> None:
    page = visit("learning_rate")
    figure = page.locator(".main-svg text").first
    light = figure.evaluate("text => getComputedStyle(text).fill")
    page.get_by_test_id("stMainMenu").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    expect(figure).not_to_have_css("fill", light)  # the server draws figures for the theme


@pytest.mark.long
def test_on_a_projector_the_formula_of_a_step_stands_above_the_tables(visit: Visit) -> None:
    tab = visit("attention_by_hand?by_hand_view=numbers&step_by_step=on&present=true")
    formula, tables = (
        tab.locator(each).first.bounding_box() for each in (".st-key-calculation", ".number-tables")
    )
    assert formula is not None and tables is not None
    assert formula["y"] + formula["height"] <= tables["y"]
