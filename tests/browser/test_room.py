"""A teacher's tab, a student's phone and the teacher's remote: what each does, the others see without a reload."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import Visit, expect_page, new_visitor, press, settle, visitor_in

pytestmark = pytest.mark.browser


def test_a_phone_answers_looks_for_itself_and_follows_what_the_remote_says(
    visit: Visit, browser: Browser, profile: BrowserContext, address: str
) -> None:
    teacher = visit("positional_encoding?lesson=30&positions_view=shuffle")
    press(teacher, "Share")
    press(teacher, "Open a room for this class")
    screen = teacher.locator(".st-key-room_screen")
    expect(screen.get_by_alt_text(f"QR code of {address}/room/")).to_be_visible()
    code = screen.get_by_role("heading").inner_text()
    with visitor_in(profile, f"{address}/room/{code.lower()}") as phone:
        expect(screen).to_contain_text("1 is here")
        press(teacher, "Go on")
        expect_page(phone, "Positional encoding")
        strip = teacher.locator(".st-key-room_strip")
        phone.get_by_role("button", name=re.compile("^A")).click()
        expect(strip).to_contain_text("1 answered")
        expect(phone.locator("button[aria-pressed=true]")).to_have_text(re.compile("^A"))
        press(teacher, "Show answers")
        expect(phone.locator(".count").first).to_have_text("1 · 100% · you")
        expect(phone.locator(".right")).to_have_count(0)
        press(teacher, "Class")
        press(teacher, "Lead from your phone")
        press(teacher, teacher.locator(".st-key-new_remote button"))
        ticket = teacher.get_by_alt_text("/remote/").get_attribute("alt") or ""
        with new_visitor(browser, ticket.removeprefix("QR code of ")) as remote:
            expect(remote.locator(".here")).to_have_text(re.compile("^1 here"))
            expect(teacher.locator(".st-key-screen_take_remote")).to_be_visible()
            press(teacher, "Go on")
            remote.get_by_role("button", name="Reveal the answer").click()
            expect(phone.locator(".right, .why").first).to_be_visible()
            phone.get_by_role("link", name="Look for yourself").click()
            expect(phone.locator(".js-plotly-plot").first).to_be_visible()
            settle(phone)
            phone.get_by_role("textbox", name="A sentence").press_sequentially("half typed, ")
            settle(teacher)
            # The answer is marked where it stands.
            expect(teacher.locator(".js-plotly-plot")).to_have_count(0)
            remote.get_by_role("button", name="Next").click()
            expect(teacher.locator(".js-plotly-plot").first).to_be_visible()
            settle(teacher)
            remote.get_by_role("button", name="Next").click()
            for tab in (teacher, phone):
                expect_page(tab, "Attention by hand")
            press(teacher, teacher.locator(".st-key-strip_back button"))
            expect_page(phone, "Positional encoding")
            expect(phone.get_by_role("textbox", name="A sentence")).to_have_value(re.compile("half typed, "))
            phone.reload()
            press(phone, phone.locator(".st-key-room_strip").get_by_role("button", name=re.compile(code)))
            back = phone.get_by_role("link", name="Back to the question")  # only where both have one seat
            expect(back).to_have_attribute("href", f"{address}/room/{code}")
            phone.goto(f"{address}/room/{code}")
            expect(phone.locator(".count").first).to_have_text("1 · 100% · you")
            expect(remote.locator(".here")).to_have_text(re.compile("^1 here"))
            expect(strip).to_contain_text("1 here")


def test_a_teacher_who_has_lost_the_tab_leads_on_from_another(browser: Browser, address: str) -> None:
    with new_visitor(browser, f"{address}/positional_encoding?lesson=30&positions_view=shuffle") as teacher:
        expect_page(teacher, "Positional encoding")
        press(teacher, "Share")
        press(teacher, "Open a room for this class")
        press(teacher, "Go on")
        strip = teacher.locator(".st-key-room_strip")
        expect(strip).to_be_visible()
        other = teacher.context.new_page()
        other.goto(address)
        press(other, other.locator(".st-key-back_to_room button"))
        expect_page(other, "Positional encoding")
        expect(other.locator(".st-key-room_strip")).to_be_visible()
        expect(strip).to_have_count(0)
        teacher.close()
        other.goto(address)  # typed: the class stays where it is
        expect_page(other, "Positional encoding")
        other.close()
        last = other.context.new_page()
        last.goto(address)
        press(last, last.locator(".st-key-back_to_room button"))
        expect_page(last, "Positional encoding")
