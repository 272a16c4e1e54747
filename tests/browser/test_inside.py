"""What the model computes, in a real browser: switch a head off, send the link on, patch."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, choose, new_visitor

pytestmark = pytest.mark.browser


def cells(page: Page) -> str:
    """All that stands in the heatmaps and on their axes."""
    plots = page.locator(".js-plotly-plot:visible")
    expect(plots.first).to_be_visible()
    return " ".join(plots.locator(".xtick, .ytick, .heatmap-label").all_text_contents())


def test_ablate_send_the_link_and_patch(visit: Visit, browser: Browser) -> None:
    page = visit("inside?inside=heads&model=ted_pt_en")
    heads = page.get_by_role("toolbar", name="Cross-attention: layer.head")
    head = heads.get_by_role("button", name="1.3", exact=True)
    expect(head).to_be_visible()
    head.press("Space")  # by keyboard
    expect(head).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 head off")).to_be_visible()
    expect(
        page.get_by_text(re.compile("log P of the translation at the top (falls|rises) by"))
    ).to_be_visible()
    expect(page).to_have_url(re.compile("off_cross=1.3"))

    with new_visitor(browser, page.url) as other:
        theirs = other.get_by_role("toolbar", name="Cross-attention: layer.head")
        expect(theirs.get_by_role("button", name="1.3", exact=True)).to_have_attribute("aria-pressed", "true")
        expect(other.get_by_text("1 head off")).to_be_visible()
        map_of_costs = other.get_by_label(re.compile("What switching off each head costs; most"))
        expect(map_of_costs.first).to_be_visible()

    page.get_by_role("radio", name="Patching").click()
    expect(page.get_by_text("is sufficient to bring the difference over")).to_be_visible()
    assert "ele→ela" in cells(page)
    choose(page, "Two sentences", re.compile("negation: isto"))
    expect(page.locator(".xtick").get_by_text("sempre→nunca")).to_be_visible()
