"""Every page and view on a projector and a phone, in light and dark: one tab walks through all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from pages.components.menu import CHECKPOINTS, DATA, EVALUATE, HOME, MASKS, PAGES, TRAIN, PageEntry
from tests.browser.conftest import PHONE, PROJECTOR, Visit, press, settle, visitor_in
from tests.browser.walk import open_views

pytestmark = pytest.mark.browser

# Of a figure or a result; a table of data, or a sentence, is one only where there is nothing else.
_FIGURES = ".js-plotly-plot, .linked-tokens, .drawing svg, .number-tables, .ids, [data-testid=stMetric]"
_TABLES = "[data-testid=stDataFrame], [data-testid=stAlert], [class*=st-key-sample_]"
# That of two pages comes when a button has been pressed; one has cards alone, and one its table above the figure.
_WITHOUT_FIGURE = (TRAIN, EVALUATE, CHECKPOINTS, DATA)
_HALF = 0.5

_GO = """(address) => {
  history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""

_FIND = """([figures, tables]) => {
  const found = (root, selectors) => [...root.querySelectorAll("*")].flatMap((each) =>
    [...(each.matches(selectors) ? [each] : []), ...(each.shadowRoot ? found(each.shadowRoot, selectors) : [])]
  ).filter((each) => each.getBoundingClientRect().height > 20);
  const main = document.querySelector("[data-testid=stMain]");
  const figure = found(main, figures)[0] ?? found(main, tables)[0];
  if (!figure) return null;
  const { top, height } = figure.getBoundingClientRect();
  return [top, height];
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
        yield page


def go(tab: Page, entry: PageEntry) -> None:
    """Open a page as Back and Forward do, without loading the app anew."""
    tab.set_viewport_size(_size(PROJECTOR))
    tab.evaluate(_GO, f"/{'' if entry == HOME else entry.address}")
    settle(tab)


def _size(size: tuple[int, int]) -> ViewportSize:
    return {"width": size[0], "height": size[1]}


def look(tab: Page, size: tuple[int, int]) -> tuple[float, int]:
    """Return the share of the main figure that a screen of this size shows, and how wide the page is, in pixels."""
    tab.set_viewport_size(_size(size))
    settle(tab, 3)  # figures are drawn anew, 100 ms later at most; no script runs
    found = tab.evaluate(_FIND, [_FIGURES, _TABLES])
    share = 0.0 if found is None else max(0.0, min(size[1], found[0] + found[1]) - found[0]) / found[1]
    return share, tab.evaluate("document.scrollingElement.scrollWidth")


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.address)
def test_the_figure_comes_first_and_nothing_is_wider_than_a_phone(tab: Page, entry: PageEntry) -> None:
    go(tab, entry)
    for _ in open_views(tab, entry):
        expect(tab.get_by_test_id("stException")).to_have_count(0)
        share, _ = look(tab, PROJECTOR)
        assert share >= _HALF or entry in _WITHOUT_FIGURE, tab.url
        _, width = look(tab, PHONE)
        assert width <= PHONE[0], tab.url
        tab.set_viewport_size(_size(PROJECTOR))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_can_be_read(tab: Page, scheme: Literal["light", "dark"]) -> None:
    tab.emulate_media(color_scheme=scheme)
    faint: dict[str, float] = {}
    for entry in PAGES:
        go(tab, entry)
        faint |= {f"{entry.title}: {text}": ratio for text, ratio in tab.evaluate(_FAINT).items()}
    assert faint == {}


def test_a_figure_that_scrolls_says_so(tab: Page) -> None:
    go(tab, MASKS)
    figures = '[class*=st-key-]:has(> [data-testid="stElementContainer"] [data-testid="stPlotlyChart"])'
    found = []
    for width in (PHONE[0], 820, PROJECTOR[0]):
        tab.set_viewport_size(_size((width, PROJECTOR[1])))
        expect(tab.locator(".js-plotly-plot").first).to_be_visible()
        found.append(
            tab.locator(figures).first.evaluate(
                "(each) => [each.scrollWidth > each.clientWidth, getComputedStyle(each, '::before').content !== 'none']"
            )
        )
    assert found == [[True, True], [False, False], [False, False]]


def test_a_presenter_sees_the_curves_before_what_they_mean(visit: Visit) -> None:
    page = visit("train?present=true")
    press(page, "Start")
    meaning = page.get_by_text("Memorized")
    expect(meaning).to_be_attached()
    curves = page.locator(".js-plotly-plot").first
    expect(curves).to_be_in_viewport(ratio=0.4)
    heading, first, second = (
        place.evaluate("(each) => each.getBoundingClientRect().top")
        for place in (page.get_by_role("heading", name="Train"), curves, meaning)
    )
    assert heading < 60 and first < second


def test_figures_follow_light_and_dark(visit: Visit) -> None:
    page = visit("learning_rate")
    figure = page.locator(".main-svg text").first
    light = figure.evaluate("text => getComputedStyle(text).fill")
    page.get_by_test_id("stMainMenu").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    expect(figure).not_to_have_css("fill", light)  # the server draws figures for the theme
