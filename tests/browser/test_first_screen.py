"""Every page and view on a projector and a phone, in light and dark: one tab walks through all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from pages.components.menu import DATA, HOME, MASKS, PAGES, SECTIONS, TRANSLATE, PageEntry
from tests.browser.conftest import PHONE, PROJECTOR, Visit, settle, visitor_in
from tests.browser.walk import measure_figure, open_views

pytestmark = pytest.mark.browser

# Elsewhere, and in a batch of lines, it appears after a click, or there is none.
_WITH_FIGURE = (HOME, *SECTIONS["Understand"], TRANSLATE, *SECTIONS["Look inside"], DATA)
_MOST = 0.8  # of a figure, and of a projector's screen

_GO = """(address) => {
  history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""

# Text against what lies behind it, as WCAG 2.2 computes it; what is disabled, hidden, an icon or code is left out.
_FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3]));
  const light = (color) => color
    .map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const parent = (each) => each.parentElement ?? each.getRootNode().host;
  const behind = (each) => {
    const layers = [];
    for (let at = each; at; at = parent(at)) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255]);
  };
  const opacity = (each) => {
    let all = 1;
    for (let at = each; at; at = parent(at)) all *= Number(getComputedStyle(at).opacity);
    return all;
  };
  const LEFT_OUT = ":disabled, [aria-disabled=true], [data-testid=stIconMaterial], .katex-mathml, style, pre, "
    + "[data-testid=stSliderThumbValue]"; // which stands above the thumb, not on it
  const faint = {};
  const look = (root) => {
    for (const each of root.querySelectorAll("*")) {
      if (each.shadowRoot) look(each.shadowRoot);
      const said = [...each.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join(" ").trim();
      const style = getComputedStyle(each);
      const hidden = style.visibility === "hidden" || style.clipPath !== "none"
        || !(each.getBoundingClientRect().width > 3);
      if (!said || hidden || each instanceof SVGElement || each.closest(LEFT_OUT)) continue;
      if (each.closest("label")?.querySelector(":disabled")) continue;
      if (opacity(each) * rgba(style.color)[3] < 0.05) continue; // a slider says its ends only when pointed at
      const back = behind(each);
      const color = rgba(style.color);
      const front = over([color[0], color[1], color[2], color[3] * opacity(each)], back);
      const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
      const ratio = (high + 0.05) / (low + 0.05);
      if (ratio < 4.5) faint[said.slice(0, 40)] = Math.round(ratio * 100) / 100;
    }
  };
  look(document.querySelector(".stApp"));
  return faint;
}"""


@pytest.fixture(scope="module")
def tab(profile: BrowserContext, address: str) -> Iterator[Page]:
    with visitor_in(profile, address) as page:
        page.emulate_media(reduced_motion="reduce")  # so that words have come which come one after the other
        yield page


def go(tab: Page, entry: PageEntry) -> None:
    """Open a page as Back and Forward do, without reloading the app."""
    tab.set_viewport_size(PROJECTOR)
    tab.evaluate(_GO, f"/{'' if entry == HOME else entry.address}")
    settle(tab)


def resize(tab: Page, size: ViewportSize) -> None:
    tab.set_viewport_size(size)
    settle(tab, 3)  # figures are redrawn within 100 ms; no script runs


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.address)
def test_the_figure_comes_first_all_can_be_read_and_nothing_is_wider_than_a_phone(
    tab: Page, entry: PageEntry
) -> None:
    go(tab, entry)
    for _ in open_views(tab, entry):
        expect(tab.get_by_test_id("stException")).to_have_count(0)
        if entry in _WITH_FIGURE and "mode=Batch" not in tab.url:
            assert measure_figure(tab).shown >= _MOST, tab.url
        assert tab.evaluate(_FAINT) == {}, tab.url
        resize(tab, PHONE)
        assert tab.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"], tab.url
        resize(tab, PROJECTOR)


def test_every_word_can_be_read_in_the_dark(tab: Page) -> None:
    tab.emulate_media(color_scheme="dark")
    for entry in PAGES:
        go(tab, entry)
        assert tab.evaluate(_FAINT) == {}, tab.url


def test_a_figure_that_scrolls_says_so(tab: Page) -> None:
    go(tab, MASKS)
    figures = '[class*=st-key-]:has(> [data-testid="stElementContainer"] [data-testid="stPlotlyChart"])'
    for width in (PHONE["width"], 820, PROJECTOR["width"]):
        resize(tab, {"width": width, "height": PROJECTOR["height"]})
        scrolls, says_so = tab.locator(figures).first.evaluate(
            "(each) => [each.scrollWidth > each.clientWidth, getComputedStyle(each, '::before').content !== 'none']"
        )
        assert scrolls == says_so == (width == PHONE["width"])


@pytest.mark.parametrize("path", ["learning_rate?lesson=60&", "inside?"])
def test_a_presenters_figure_takes_most_of_the_screen(visit: Visit, path: str) -> None:
    """All other views: tests.browser.walk."""
    figure = measure_figure(visit(f"{path}present=true"))
    assert figure.shown == 1 and figure.height >= 0.7 and figure.letters >= 20, figure


def test_figures_follow_light_and_dark(visit: Visit) -> None:
    page = visit("learning_rate")
    figure = page.locator(".main-svg text").first
    light = figure.evaluate("text => getComputedStyle(text).fill")
    page.get_by_test_id("stMainMenu").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    expect(figure).not_to_have_css("fill", light)  # the server draws figures for the theme
