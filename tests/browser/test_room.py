"""A teacher's tab, a student's phone and the teacher's remote: what each does, the others see without a reload."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from pages.content.pages import ATTENTION_BY_HAND, MASKS, POSITIONAL_ENCODING
from tests.browser.conftest import (
    Visit,
    expect_page,
    field,
    new_visitor,
    open_from_menu,
    open_room,
    press,
    remote_of,
    settle,
    visitor_in,
)

ONE = re.compile("^1$")
pytestmark = pytest.mark.browser


def test_a_phone_answers_looks_for_itself_and_follows_what_the_remote_says(
    visit: Visit, browser: Browser, profile: BrowserContext, address: str
) -> None:
    teacher = visit("positional_encoding?lesson=30&positions_view=shuffle")
    code = open_room(teacher)
    screen = teacher.locator(".st-key-room_screen")
    expect(screen.get_by_alt_text(f"{address}/room/")).to_be_visible()
    with visitor_in(profile, f"{address}/room/{code.lower()}") as phone:
        expect(screen.locator("strong", has_text=ONE)).to_have_count(1)
        press(teacher, "screen_done")
        expect_page(phone, POSITIONAL_ENCODING)
        bar = teacher.locator(".st-key-room_bar")
        phone.get_by_role("button", name=re.compile("^A")).click()
        expect(bar.locator("strong", has_text=ONE)).to_have_count(2)  # is here, and has answered
        expect(phone.locator("button[aria-pressed=true]")).to_have_text(re.compile("^A"))
        press(teacher, "room_show")
        expect(phone.locator(".count").first).to_have_text(re.compile("^1 · 100% · "))
        expect(phone.locator(".right")).to_have_count(0)
        with new_visitor(browser, remote_of(teacher)) as remote:
            expect(remote.locator(".here")).to_have_text(re.compile(r"\b1\b"))
            expect(teacher.locator(".st-key-screen_take_remote")).to_be_visible()
            press(teacher, "remote_done")
            remote.locator("button#next").click()
            expect(phone.locator(".right, .why").first).to_be_visible()
            phone.locator("a[href*=room]").click()
            expect(phone.locator(".js-plotly-plot").first).to_be_visible()
            settle(phone)
            field(phone, "shuffled_words").press_sequentially("half typed, ")
            settle(teacher)
            # The answer is marked where it stands.
            expect(teacher.locator(".js-plotly-plot")).to_have_count(0)
            remote.locator("button#next").click()
            expect(teacher.locator(".js-plotly-plot").first).to_be_visible()
            settle(teacher)
            remote.locator("button#next").click()
            for tab in (teacher, phone):
                expect_page(tab, ATTENTION_BY_HAND)
            press(teacher, "lesson_back")
            expect_page(phone, POSITIONAL_ENCODING)
            expect(field(phone, "shuffled_words")).to_have_value(re.compile("half typed, "))
            phone.reload()
            press(phone, phone.locator(".st-key-room_bar").get_by_role("button", name=re.compile(code)))
            # Only where both have one seat.
            expect(phone.locator(f"a[href='{address}/room/{code}']")).to_be_visible()
            phone.goto(f"{address}/room/{code}")
            expect(phone.locator(".count").first).to_have_text(re.compile("^1 · 100% · "))
            expect(remote.locator(".here")).to_have_text(re.compile(r"\b1\b"))
            expect(bar.locator("strong", has_text=ONE).first).to_be_visible()


@pytest.mark.long
def test_a_teacher_who_has_lost_the_tab_leads_on_from_another(browser: Browser, address: str) -> None:
    with new_visitor(browser, f"{address}/positional_encoding?lesson=30&positions_view=shuffle") as teacher:
        expect_page(teacher, POSITIONAL_ENCODING)
        open_room(teacher)
        press(teacher, "screen_done")
        bar = teacher.locator(".st-key-room_bar")
        expect(bar).to_be_visible()
        other = teacher.context.new_page()
        other.goto(address)
        press(other, "back_to_room")
        expect_page(other, POSITIONAL_ENCODING)
        expect(other.locator(".st-key-room_bar")).to_be_visible()
        expect(bar).to_have_count(0)
        teacher.close()
        other.goto(address)  # typed: the class stays where it is
        expect_page(other, POSITIONAL_ENCODING)
        other.close()
        last = other.context.new_page()
        last.goto(address)
        press(last, "back_to_room")
        expect_page(last, POSITIONAL_ENCODING)


@pytest.mark.long
def test_who_has_looked_into_the_room_s_menu_can_explore(visit: Visit) -> None:
    teacher = visit("positional_encoding?lesson=30")
    code = open_room(teacher)
    press(teacher, "screen_done")
    student = visit(f"?room={code}")
    expect_page(student, POSITIONAL_ENCODING)
    press(student, student.locator(".st-key-room_bar").get_by_role("button", name=re.compile(code)))
    expect(student.locator(".st-key-room_leave")).to_be_visible()
    student.keyboard.press("Escape")
    for page in (ATTENTION_BY_HAND, MASKS, ATTENTION_BY_HAND):
        open_from_menu(student, page)
        expect(student.locator(".st-key-room_go")).to_be_visible()
        student.wait_for_timeout(2000)  # the tab has looked at the room once more
        expect_page(student, page)
