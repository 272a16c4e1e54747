"""Attention maps, decoding step by step and what the model computes: what only a browser can press or point at."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import PATIENCE
from tests.browser.conftest import Visit, choose, new_visitor, settle

pytestmark = pytest.mark.browser

COUNT_MESSAGES = """() => {
  const send = WebSocket.prototype.send;
  window.messages = 0;
  WebSocket.prototype.send = function (data) { window.messages += 1; return send.call(this, data); };
}"""


def test_a_head_is_opened_from_the_overview_by_keyboard(visit: Visit) -> None:
    maps = visit("attention_maps")
    head = maps.get_by_role("button", name=re.compile("Cross-attention, layer 2, head 3:"))
    expect(head).to_be_in_viewport(ratio=1)
    head.focus()
    head.press("Enter")
    expect(maps.get_by_text("Hover to read a weight")).to_be_visible()
    expect(maps).to_have_url(re.compile("maps_view=One.head"))
    expect(maps.get_by_role("combobox", name="Head", exact=True)).to_have_value("3")
    expect(maps.get_by_text("Cross-attention, layer 2, head 3").first).to_be_in_viewport()


def test_pointing_at_a_token_fades_the_rest_without_the_server(visit: Visit) -> None:
    maps = visit("attention_maps?maps_view=Lines")
    drawing = maps.locator(".linked-tokens svg")
    first, pointed = (drawing.locator(f"[data-token='1-{place}']") for place in (0, 3))
    expect(first).to_be_in_viewport()
    maps.evaluate(COUNT_MESSAGES)
    pointed.hover()
    expect(drawing).to_have_attribute("data-shown", "1-3")
    expect(first).to_have_css("opacity", re.compile(r"0\.[0-4]"))
    pointed.click()
    maps.mouse.move(5, 5)
    pointed.blur()
    expect(drawing).to_have_attribute("data-shown", "1-3")  # kept
    pointed.press("Escape")
    pointed.blur()
    expect(drawing).to_have_attribute("data-shown", "")
    expect(first).to_have_css("opacity", "1")
    assert maps.evaluate("window.messages") == 0


def test_every_file_opens(visit: Visit, browser: Browser, tmp_path: Path) -> None:
    maps = visit(f"attention_maps?{urlencode({'maps_view': 'One head', 'sentence': 'onde fica a estação?'})}")
    maps.get_by_text("Export:").click()
    files = {}
    for name in ("SVG", "PNG", "HTML page", "JSON"):
        with maps.expect_download(timeout=PATIENCE) as download:
            maps.get_by_role("button", name=re.compile(name)).click()
        files[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[name])
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    assert files["PNG"].stat().st_size > 5_000
    values = json.loads(files["JSON"].read_text(encoding="utf-8"))
    assert values["columns"][0] == "onde"
    for name, drawn in (("SVG", "rect title"), ("HTML page", ".linked-tokens .token")):
        with new_visitor(browser, files[name].as_uri()) as page:
            expect(page.locator(drawn).first).to_be_attached()


def test_the_film_of_a_training(trained_page: Page) -> None:
    tab = trained_page
    tab.get_by_role("link", name="See its attention").click()
    expect(tab.get_by_role("combobox", name="View", exact=True)).to_be_visible()
    choose(tab, "View", "During training")
    moment = tab.locator(".slider-label").first
    expect(moment).to_have_text("After epoch 200")
    picture = tab.locator(".js-plotly-plot .hm image").first
    last = picture.get_attribute("xlink:href") or ""
    tab.get_by_text("▶ Play").click()
    expect(moment).not_to_have_text("After epoch 200")
    expect(moment).to_have_text("After epoch 200")  # played to its end
    tab.locator(".slider-rail-touch-rect").first.click(position={"x": 3, "y": 5})
    expect(moment).to_have_text("After epoch 0")
    expect(picture).not_to_have_attribute("xlink:href", last)


def test_force_a_token_and_undo(visit: Visit) -> None:
    page = visit("decoding")
    tokens = page.locator("p", has_text="[END]")
    before = tokens.inner_text()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.get_by_role("slider").press("ArrowRight")
    page.get_by_role("button", name="Next step").press("Enter")
    expect(page.get_by_role("slider")).to_have_value("3")
    settle(page)  # a token pressed before its step is drawn would be the step's before
    page.get_by_role("radiogroup", name="Choose another token").get_by_role("radio").first.press("Enter")
    expect(page.get_by_text("You chose it")).to_be_visible()
    expect(tokens).to_contain_text("✎")
    page.get_by_role("button", name="Undo").click()
    expect(tokens).to_have_text(before)
    expect(page).not_to_have_url(re.compile("said="))


def test_a_head_is_switched_off_by_keyboard(visit: Visit) -> None:
    page = visit("inside?inside_view=Switch+heads+off")
    heads = page.get_by_role("toolbar", name="Cross-attention")
    head = heads.get_by_role("button", name=re.compile("^1.3"))
    head.press("Space")
    expect(head).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 head off")).to_be_visible()
    expect(
        page.get_by_text(re.compile("log P of the translation at the top (falls|rises) by"))
    ).to_be_visible()
