"""Attention maps, decoding step by step and what the model computes: what only a browser can press or point at."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.app import PATIENCE
from tests.browser.conftest import Visit, button_of, field, new_visitor, press, settle, visitor_in

pytestmark = pytest.mark.browser

HEAD_2_3 = re.compile(r"^\D+2\D+3\D")

COUNT_MESSAGES = """() => {
  const send = WebSocket.prototype.send;
  window.messages = 0;
  WebSocket.prototype.send = function (data) { window.messages += 1; return send.call(this, data); };
}"""


def test_heat_maps_report_the_head_and_the_cell_that_are_clicked(visit: Visit) -> None:
    maps = visit("attention_maps")
    name = maps.locator(".annotation-text", has_text=re.compile(r"^\D+\d\D+\d\D"))
    expect(name).to_have_text(re.compile(r"^\D+2\D+3\D"))
    middles = "maps => maps.map(map => map.getBoundingClientRect()).map(box => [box.x, box.y, box.width, box.height])"
    _large, (x, y, width, height) = maps.locator(".js-plotly-plot .hm image").evaluate_all(middles)
    pointed = maps.locator(".hoverlayer")

    def point_and_click(x: float, y: float, says: str | re.Pattern[str]) -> None:
        maps.mouse.move(x, y)
        expect(pointed).to_contain_text(says)
        maps.mouse.click(x, y)
        settle(maps)

    # In the third of five small maps side by side, above two more.
    point_and_click(x + 0.5 * width, y + 0.1 * height, re.compile(r"1\D+3"))
    expect(name).to_have_text(re.compile(r"^\D+1\D+3\D"))
    expect(maps).to_have_url(re.compile(r"heads=1\.3$"))
    (x, y, width, height), _small = maps.locator(".js-plotly-plot .hm image").evaluate_all(middles)
    point_and_click(x + 2.5 / 9 * width, y + 3.5 / 11 * height, "problem → um: ")
    expect(maps).to_have_url(re.compile(r"cell=4\.3$"))
    expect(button_of(maps, "by_hand")).to_be_visible()


def test_the_stage_by_mouse_and_keyboard_and_its_link(visit: Visit, profile: BrowserContext) -> None:
    maps = visit("attention_maps?maps_view=words")
    said = maps.locator(".stage .status")
    expect(said).to_contain_text(HEAD_2_3)
    maps.evaluate(COUNT_MESSAGES)
    late = maps.locator("[data-head='1.3']")
    late.hover()
    expect(said).to_contain_text(re.compile(r"1\D+3"))
    word = maps.locator(".chip[data-word='row.4']")
    word.hover()
    expect(said).to_contain_text(re.compile("problem .*problema 0.98"))
    expect(maps.locator(".chip[data-word='column.4']")).to_have_css("color", "rgb(255, 255, 255)")
    maps.mouse.move(5, 5)
    expect(said).to_contain_text(HEAD_2_3)
    assert maps.evaluate("window.messages") == 0
    maps.locator("[data-choice=compare]").press("Enter")
    maps.locator("[data-head='2.3']").press("ArrowUp")
    late.press("Enter")
    expect(maps).to_have_url(re.compile(r"heads=2\.3\+1\.3"))
    with visitor_in(profile, maps.url) as other:
        expect(other.locator(".stage .status")).to_contain_text(re.compile(r"2\D+3\D+1\D+3"))
        expect(other.locator(".head.kept")).to_have_count(2)
    late.press("Escape")
    expect(maps.locator(".head.kept")).to_have_count(1)
    expect(maps).not_to_have_url(re.compile(r"heads=.*2\.3"))


@pytest.mark.long
def test_every_file_opens(visit: Visit, browser: Browser, tmp_path: Path) -> None:
    maps = visit(f"attention_maps?{urlencode({'maps_view': 'words', 'sentence': 'onde fica a estação?'})}")
    maps.locator(".st-key-take_away summary").click()
    files = {}
    keys = {"html": "page_file_ted_pt_en"}
    for name in ("svg", "png", "html", "json"):
        with maps.expect_download(timeout=PATIENCE) as download:
            maps.locator(
                f"[data-choice={name}], .st-key-{keys.get(name, f'take_{name}')} button:visible"
            ).click()
        files[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[name])
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    assert files["png"].stat().st_size > 20_000
    texts = [text.text for text in ElementTree.parse(files["svg"]).iter("{http://www.w3.org/2000/svg}text")]
    assert "onde fica a estação? → Where is the station?" in texts
    values = json.loads(files["json"].read_text(encoding="utf-8"))
    assert values["maps"][0]["columns"][0] == "onde"
    strongest = max(weight for row in values["maps"][0]["weights"][1][2] for weight in row)
    with new_visitor(browser, files["html"].as_uri()) as page:
        expect(page.locator(".stage .status")).to_contain_text(f"{strongest:.2f}")


@pytest.mark.long
def test_heat_maps_are_saved_as_linked_words_are(visit: Visit, tmp_path: Path) -> None:
    maps = visit("attention_maps")
    for name, begin in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with maps.expect_download(timeout=PATIENCE) as download:
            maps.get_by_role("button", name=name, exact=True).click()
        download.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begin)


@pytest.mark.long
def test_force_a_token_and_undo(visit: Visit) -> None:
    page = visit("decoding")
    tokens = page.locator(".st-key-written_tokens")
    before = tokens.text_content() or ""
    expect(button_of(page, "undo_token")).to_be_disabled()
    page.get_by_role("slider").press("ArrowRight")
    settle(page)
    button_of(page, "at_Right").press("Enter")
    expect(page.get_by_role("slider")).to_have_value("4")
    field(page, "prefix_text").fill("This was")
    button_of(page, "take_prefix").press("Enter")
    expect(tokens).to_contain_text("✎")
    press(page, "undo_token")
    expect(tokens).to_have_text(before)
    expect(page).not_to_have_url(re.compile("said="))
    settle(page)
    # A label beside its bar.
    page.locator(".js-plotly-plot text", has_text=re.compile(r"^3\. ")).click(force=True)
    expect(tokens).to_contain_text("✎")


@pytest.mark.long
def test_heads_are_switched_off_by_keyboard_and_by_layer(visit: Visit) -> None:
    page = visit("inside?inside_view=heads")
    head, layer = (page.locator(f"[data-part='cross {name}']") for name in ("1.3", "1"))
    off = page.locator(".st-key-changed_by_heads")
    head.press("Space")
    expect(head).to_have_attribute("aria-pressed", "true")
    expect(off).to_contain_text(re.compile(r"^1\b"))
    press(page, layer)
    expect(off).to_contain_text(re.compile(r"^4\b"))
    expect(page).to_have_url(re.compile(r"off_cross=1($|&)"))
    press(page, head)
    expect(off).to_contain_text(re.compile(r"^3\b"))
    expect(layer).to_have_attribute("aria-pressed", "false")
