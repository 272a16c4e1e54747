"""The attention maps in a real browser: every view, pointing at a token, a copied link, the files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.app import PATIENCE
from tests.browser.conftest import Visit, choose, new_visitor, visitor_in

pytestmark = pytest.mark.browser

COUNT_MESSAGES = """() => {
  const send = WebSocket.prototype.send;
  window.messages = 0;
  WebSocket.prototype.send = function (data) { window.messages += 1; return send.call(this, data); };
}"""


@pytest.fixture(scope="module")
def maps(profile: BrowserContext, address: str) -> Iterator[Page]:
    """The page with the shipped Portuguese model, at a projector's size."""
    with visitor_in(profile, f"{address}/attention_maps?model=ted_pt_en") as tab:
        tab.set_viewport_size({"width": 1280, "height": 720})
        expect(
            tab.get_by_role("button", name=re.compile("Cross-attention, layer 1, head 1:"))
        ).to_be_visible()
        yield tab


def token(page: Page, column: int, place: int) -> Locator:
    return page.locator(f".linked-tokens [data-token='{column}-{place}']")


def visible_lines(page: Page) -> int:
    count: int = page.locator(".linked-tokens .link").evaluate_all(
        "lines => lines.filter(line => parseFloat(line.style.opacity) > 0.05).length"
    )
    return count


def test_a_head_is_opened_from_the_overview_by_keyboard(maps: Page) -> None:
    choose(maps, "View", "Overview")
    head = maps.get_by_role("button", name=re.compile("Cross-attention, layer 2, head 3:"))
    expect(head).to_be_in_viewport(ratio=1)
    head.focus()
    head.press("Enter")
    expect(maps.get_by_text("Hover to read a weight")).to_be_visible()
    expect(maps).to_have_url(re.compile(r"view=head"))
    expect(maps).to_have_url(re.compile(r"head=3"))
    expect(maps.get_by_text("Cross-attention, layer 2, head 3").first).to_be_in_viewport()


def test_pointing_at_a_token_fades_the_rest_without_the_server(maps: Page) -> None:
    choose(maps, "View", "Lines")
    choose(maps, "Head", "Mean")
    drawing = maps.locator(".linked-tokens svg")
    expect(drawing).to_have_attribute("aria-label", re.compile("mean of all heads"))
    expect(token(maps, 1, 0)).to_be_in_viewport()
    before = visible_lines(maps)
    maps.evaluate(COUNT_MESSAGES)
    token(maps, 1, 3).hover()
    expect(maps.locator(".linked-tokens svg")).to_have_attribute("data-shown", "1-3")
    assert 0 < visible_lines(maps) < before
    assert float(token(maps, 1, 0).evaluate("token => token.style.opacity")) < 0.5
    token(maps, 1, 3).click()
    maps.mouse.move(5, 5)
    token(maps, 1, 3).blur()
    expect(maps.locator(".linked-tokens svg")).to_have_attribute("data-shown", "1-3")  # kept
    token(maps, 1, 3).press("Escape")
    token(maps, 1, 3).blur()
    expect(maps.locator(".linked-tokens svg")).to_have_attribute("data-shown", "")
    assert visible_lines(maps) == before
    assert maps.evaluate("window.messages") == 0


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("Alignment", "the source word that each word attends to most"),
        ("Head statistics", "Means over the query positions"),
        ("Compare", "Both use the same color scale"),
    ],
)
def test_every_other_view(maps: Page, view: str, said: str) -> None:
    choose(maps, "View", view)
    expect(maps.get_by_text(said)).to_be_visible()
    expect(maps.get_by_test_id("stException")).to_have_count(0)


def test_a_copied_link_shows_the_same_in_a_fresh_profile(maps: Page, browser: Browser) -> None:
    choose(maps, "View", "Lines")
    choose(maps, "Layer", "1")
    box = maps.get_by_role("textbox", name="A text in Portuguese")
    box.fill("onde fica a estação?")
    box.press("Enter")
    expect(token(maps, 0, 0)).to_have_attribute("aria-label", re.compile("onde"))
    expect(maps).to_have_url(re.compile("sentence="))
    with new_visitor(browser, maps.url) as fresh:
        fresh.set_viewport_size({"width": 1280, "height": 720})
        expect(token(fresh, 0, 0)).to_have_attribute("aria-label", re.compile("onde"))
        expect(fresh.get_by_role("textbox", name="A text in Portuguese")).to_have_value(
            "onde fica a estação?"
        )
        labels = "tokens => tokens.map(token => token.getAttribute('aria-label'))"
        assert fresh.locator(".linked-tokens .token").evaluate_all(labels) == maps.locator(
            ".linked-tokens .token"
        ).evaluate_all(labels)
        strengths = "lines => lines.map(line => line.style.opacity)"
        lines = ".linked-tokens .link"
        assert fresh.locator(lines).evaluate_all(strengths) == maps.locator(lines).evaluate_all(strengths)


def test_every_file_opens(visit: Visit, browser: Browser, tmp_path: Path) -> None:
    maps = visit("attention_maps?model=ted_pt_en&view=head&sentence=onde%20fica%20a%20esta%C3%A7%C3%A3o%3F")
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
    context = browser.new_context()
    errors: list[str] = []
    for name, shown in (("SVG", "rect title"), ("HTML page", ".linked-tokens .token")):
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(files[name].as_uri())
        expect(page.locator(shown).first).to_be_attached()
    assert errors == []
    context.close()


def test_the_film_of_a_training(trained_page: Page) -> None:
    tab = trained_page
    tab.get_by_role("link", name="See its attention").click()
    expect(tab.get_by_role("combobox", name="View", exact=True)).to_be_visible()
    choose(tab, "View", "During training")
    moment = tab.locator(".slider-label").first
    expect(moment).to_have_text("After epoch 200")
    colors = "images => images.map(image => image.getAttribute('xlink:href') || image.getAttribute('href'))"
    last = tab.locator(".js-plotly-plot .hm image").evaluate_all(colors)
    tab.get_by_text("▶ Play").click()
    expect(moment).not_to_have_text("After epoch 200")
    expect(moment).to_have_text("After epoch 200")  # played to its end
    tab.locator(".slider-rail-touch-rect").first.click(position={"x": 3, "y": 5})
    expect(moment).to_have_text("After epoch 0")
    for _ in range(50):  # the picture is drawn again after the label
        if tab.locator(".js-plotly-plot .hm image").evaluate_all(colors) != last:
            break
        tab.wait_for_timeout(100)
    assert tab.locator(".js-plotly-plot .hm image").evaluate_all(colors) != last
