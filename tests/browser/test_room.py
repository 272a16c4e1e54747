"""A teacher's tab and a phone in one room: what each does, the other sees without a reload."""

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Visit, expect_page, press, settle, visitor_in

pytestmark = pytest.mark.browser


def test_a_phone_follows_and_its_answer_is_counted(
    visit: Visit, profile: BrowserContext, address: str
) -> None:
    teacher = visit("positional_encoding?lesson=30&positions_view=Shuffle+the+words")
    press(teacher, "Share")
    press(teacher, "Open a room for this class")
    dialog = teacher.get_by_role("dialog")
    expect(dialog.get_by_role("img", name=re.compile(r"QR code of .*\?room="))).to_be_visible()
    press(teacher, dialog.get_by_role("button", name="Close"))  # Escape may find the focus elsewhere
    expect(dialog).to_have_count(0)
    strip = teacher.locator(".st-key-room_strip")
    expect(strip).to_contain_text("0 here")
    code = strip.locator("strong").first.inner_text()
    with visitor_in(profile, f"{address}/?room={code.lower()}") as phone:
        expect(strip).to_contain_text("1 here")
        expect_page(phone, "Positional encoding")
        press(phone, phone.locator('[class*="st-key-predict_"] button').first)
        expect(strip).to_contain_text("1 answered")
        press(teacher, "Show answers")
        expect(phone.locator(".tally")).to_be_visible()
        expect(phone.locator(".js-plotly-plot")).to_have_count(0)
        press(teacher, "Reveal the answer")
        expect(phone.locator(".js-plotly-plot").first).to_be_visible()
        settle(phone)
        phone.get_by_role("textbox", name="A sentence").press_sequentially("half typed, ")
        press(teacher, teacher.locator(".st-key-strip_next button"))
        expect_page(phone, "Attention by hand")
        press(teacher, teacher.locator(".st-key-strip_back button"))
        expect_page(phone, "Positional encoding")
        expect(phone.get_by_role("textbox", name="A sentence")).to_have_value(re.compile("half typed, "))
        phone.reload()
        expect(strip).to_contain_text("1 here")
        expect(phone.locator(".st-key-room_strip")).to_contain_text(code)
