"""Attention maps, decoding step by step and what the model computes: what only a browser can press or point at."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from pages.components.attention.stage import ROLES
from tests.browser.app import PATIENCE
from tests.browser.conftest import Visit, new_visitor, press, settle, visitor_in

pytestmark = pytest.mark.browser

COUNT_MESSAGES = """() => {
  const send = WebSocket.prototype.send;
  window.messages = 0;
  WebSocket.prototype.send = function (data) { window.messages += 1; return send.call(this, data); };
}"""


def test_heat_maps_report_the_head_and_the_cell_that_are_clicked(visit: Visit) -> None:
    maps = visit("attention_maps")
    name = maps.locator(".annotation-text", has_text="Layer")
    expect(name).to_have_text("Layer 2, head 3: aligns")
    middles = "maps => maps.map(map => map.getBoundingClientRect()).map(box => [box.x, box.y, box.width, box.height])"
    _large, (x, y, width, height) = maps.locator(".js-plotly-plot .hm image").evaluate_all(middles)
    pointed = maps.locator(".hoverlayer")

    def point_and_click(x: float, y: float, says: str) -> None:
        maps.mouse.move(x, y)
        expect(pointed).to_contain_text(says)
        maps.mouse.click(x, y)
        settle(maps)

    # In the third of five small maps side by side, above two more.
    point_and_click(x + 0.5 * width, y + 0.1 * height, "Layer 1, head 3: one step late")
    expect(name).to_have_text("Layer 1, head 3: one step late")
    expect(maps).to_have_url(re.compile(r"heads=1\.3$"))
    (x, y, width, height), _small = maps.locator(".js-plotly-plot .hm image").evaluate_all(middles)
    point_and_click(x + 2.5 / 9 * width, y + 3.5 / 11 * height, "problem → um: ")
    expect(maps).to_have_url(re.compile(r"cell=4\.3$"))
    expect(maps.get_by_text("problem attends to um")).to_be_visible()


def test_the_stage_by_mouse_and_keyboard_and_its_link(visit: Visit, profile: BrowserContext) -> None:
    maps = visit("attention_maps?maps_view=words")
    said = maps.locator(".stage .status")
    expect(said).to_contain_text(f"Layer 2, head 3: {ROLES['aligns']}")
    maps.evaluate(COUNT_MESSAGES)
    late = maps.locator("[data-head='1.3']")
    late.hover()
    expect(said).to_contain_text("one step late")
    word = maps.locator(".chip[data-word='row.4']")
    word.hover()
    expect(said).to_contain_text("problem attends to problema 0.98")
    expect(maps.locator(".chip[data-word='column.4']")).to_have_css("color", "rgb(255, 255, 255)")
    maps.mouse.move(5, 5)
    expect(said).to_contain_text(f"Layer 2, head 3: {ROLES['aligns']}")
    assert maps.evaluate("window.messages") == 0
    maps.get_by_role("button", name="Compare heads").press("Enter")
    maps.locator("[data-head='2.3']").press("ArrowUp")
    late.press("Enter")
    expect(maps).to_have_url(re.compile(r"heads=2\.3\+1\.3"))
    with visitor_in(profile, maps.url) as other:
        expect(other.locator(".stage .status")).to_contain_text(
            "head 3 (aligns); Layer 1, head 3 (one step late)"
        )
        expect(other.locator(".head.kept")).to_have_count(2)
    late.press("Escape")
    expect(maps.locator(".head.kept")).to_have_count(1)
    expect(maps).not_to_have_url(re.compile(r"heads=.*2\.3"))


def test_every_file_opens(visit: Visit, browser: Browser, tmp_path: Path) -> None:
    maps = visit(f"attention_maps?{urlencode({'maps_view': 'words', 'sentence': 'onde fica a estação?'})}")
    maps.get_by_text("Export:").click()
    files = {}
    for name in ("SVG", "PNG", "HTML page", "JSON"):
        with maps.expect_download(timeout=PATIENCE) as download:
            maps.get_by_role("button", name=re.compile(name)).click()
        files[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[name])
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    assert files["PNG"].stat().st_size > 20_000
    texts = [text.text for text in ElementTree.parse(files["SVG"]).iter("{http://www.w3.org/2000/svg}text")]
    assert "onde fica a estação? → Where is the station?" in texts
    values = json.loads(files["JSON"].read_text(encoding="utf-8"))
    assert values["maps"][0]["columns"][0] == "onde"
    strongest = max(weight for row in values["maps"][0]["weights"][1][2] for weight in row)
    with new_visitor(browser, files["HTML page"].as_uri()) as page:
        expect(page.locator(".stage .status")).to_contain_text(f"{strongest:.2f}")


def test_heat_maps_are_saved_as_linked_words_are(visit: Visit, tmp_path: Path) -> None:
    maps = visit("attention_maps")
    for name, begin in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with maps.expect_download(timeout=PATIENCE) as download:
            maps.get_by_role("button", name=name, exact=True).click()
        download.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begin)


def test_force_a_token_and_undo(visit: Visit) -> None:
    page = visit("decoding")
    tokens = page.get_by_role("radiogroup", name="The translation, by step")
    before = tokens.text_content() or ""
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.get_by_role("slider").press("ArrowRight")
    settle(page)
    page.get_by_role("button", name="Next step").press("Enter")
    expect(page.get_by_role("slider")).to_have_value("4")
    page.get_by_role("textbox", name="Or type a prefix").fill("This was")
    page.get_by_role("button", name="Continue").press("Enter")
    expect(tokens).to_contain_text("✎")
    press(page, "Undo")
    expect(tokens).to_have_text(before)
    expect(page).not_to_have_url(re.compile("said="))
    settle(page)
    # A label beside its bar.
    page.locator(".js-plotly-plot text", has_text=re.compile(r"^3\. ")).click(force=True)
    expect(tokens).to_contain_text("✎")


def test_heads_are_switched_off_by_keyboard_and_by_layer(visit: Visit) -> None:
    page = visit("inside?inside_view=heads")
    heads = page.get_by_role("group", name="Cross-attention")
    head = heads.get_by_role("button", name=re.compile("^1.3"))
    head.press("Space")
    expect(head).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("1 head off")).to_be_visible()
    layer = heads.get_by_role("button", name="Layer 1")
    press(page, layer)
    expect(page.get_by_text("4 heads off")).to_be_visible()
    expect(page).to_have_url(re.compile(r"off_cross=1($|&)"))
    press(page, head)
    expect(page.get_by_text("3 heads off")).to_be_visible()
    expect(layer).to_have_attribute("aria-pressed", "false")
