"""Small screens show the result, and a page that comes in does not move."""

import re
from contextlib import closing

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from pages.components.frame.presenting import LEADS_ON
from tests.browser.conftest import PROJECTOR, press, settle

pytestmark = pytest.mark.browser

_PHONE: ViewportSize = {"width": 390, "height": 844}
_TABLET: ViewportSize = {"width": 820, "height": 1180}
_MOST_SHIFT = 0.1  # above it, web.dev no longer calls a page's layout shift good

_KEEP_SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
_CUT = """buttons => buttons.filter((button) => [button, ...button.querySelectorAll("p")].some((each) =>
  each.scrollWidth > each.clientWidth + 1)).map((button) => button.innerText)"""


def open_at(profile: BrowserContext, address: str, size: ViewportSize) -> Page:
    tab = profile.new_page()
    tab.set_viewport_size(size)
    tab.add_init_script(_KEEP_SHIFTS)
    tab.goto(address)
    settle(tab)
    return tab


def test_a_page_that_comes_in_does_not_move(browser: Browser, address: str) -> None:
    with closing(browser.new_context()) as fresh:
        assert open_at(fresh, f"{address}/attention_maps", PROJECTOR).evaluate("window.shift") <= _MOST_SHIFT


@pytest.mark.long
def test_a_tablet_shows_whole_buttons_and_no_menu(profile: BrowserContext, address: str) -> None:
    with closing(open_at(profile, address, _TABLET)) as tab:
        expect(tab.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
        assert tab.locator("[data-testid=stMain] button:visible").evaluate_all(_CUT) == []
        tab.get_by_test_id("stExpandSidebarButton").click()  # and it can be opened
        expect(tab.get_by_test_id("stSidebarNav")).to_be_visible()


def test_a_phone_shows_attention_maps_first(profile: BrowserContext, address: str) -> None:
    with closing(open_at(profile, f"{address}/attention_maps?lesson=10&maps_view=words", _PHONE)) as tab:
        press(tab, LEADS_ON)
        expect(tab.locator(".stage .head").first).to_be_visible()
        box = tab.locator(".stage .head").first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= _PHONE["height"]


@pytest.mark.long
def test_a_phone_shows_what_a_head_changes(profile: BrowserContext, address: str) -> None:
    with closing(open_at(profile, f"{address}/inside?inside_view=heads", _PHONE)) as tab:
        tab.locator(".st-key-head_switches [data-part]").first.click()
        expect(tab.locator(".st-key-changed_by_heads").get_by_text(re.compile(r"\b4\b"))).to_be_in_viewport()


@pytest.mark.long
def test_a_phone_shows_what_a_training_writes(profile: BrowserContext, address: str) -> None:
    with closing(open_at(profile, f"{address}/train?lesson=10", _PHONE)) as tab:
        press(tab, LEADS_ON)
        expect(tab.locator(".player .row").last).to_be_in_viewport()
        expect(tab.locator(".player .row").first).to_be_in_viewport()
        press(tab, "stop_training")


@pytest.mark.long
def test_the_first_tap_on_a_bar_writes_its_token(browser: Browser, address: str) -> None:
    with closing(browser.new_context(has_touch=True, is_mobile=True)) as phone:
        tab = open_at(phone, f"{address}/decoding", _PHONE)
        expect(tab.locator(".st-key-written_tokens")).to_be_in_viewport()
        tab.locator(".js-plotly-plot text", has_text=re.compile(r"^2\. ")).tap(force=True)
        expect(tab.locator(".st-key-written_tokens")).to_contain_text("✎")
