"""A teacher's tab and a phone in one room: what each does, the other sees without a reload."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Visit, expect_page, press, visitor_in

pytestmark = pytest.mark.browser


def test_a_phone_follows_and_its_answer_is_counted(
    visit: Visit, profile: BrowserContext, address: str
) -> None:
    teacher = visit("?lesson=30")
    press(teacher, "Share")
    press(teacher, "Open a room for this class")
    expect(
        teacher.get_by_role("dialog").get_by_role("img", name=re.compile(r"QR code of .*\?room="))
    ).to_be_visible()
    teacher.keyboard.press("Escape")
    strip = teacher.locator(".st-key-room_strip")
    expect(strip).to_contain_text("0 here")
    code = strip.locator("strong").first.inner_text()
    with visitor_in(profile, f"{address}/?room={code.lower()}") as phone:
        expect(strip).to_contain_text("1 here")
        teacher.get_by_role("button", name="6. Positional encoding").click()
        expect_page(phone, "Positional encoding")
        phone.locator('[class*="st-key-predict_"] button').first.click()
        expect(strip).to_contain_text("1 answered")
        teacher.get_by_role("button", name="Show answers").click()
        expect(phone.locator(".tally")).to_be_visible()
        expect(phone.locator(".js-plotly-plot")).to_have_count(0)
        teacher.get_by_role("button", name="Reveal the answer").click()
        expect(phone.locator(".js-plotly-plot").first).to_be_visible()
        phone.get_by_role("textbox", name="A sentence").press_sequentially("half typed, ")
        teacher.locator(".st-key-strip_next button").click()
        expect_page(phone, "Attention by hand")
        teacher.locator(".st-key-strip_back button").click()
        expect_page(phone, "Positional encoding")
        expect(phone.get_by_role("textbox", name="A sentence")).to_have_value(re.compile("half typed, "))
        phone.reload()
        expect(strip).to_contain_text("1 here")
        expect(phone.locator(".st-key-room_strip")).to_contain_text(code)
