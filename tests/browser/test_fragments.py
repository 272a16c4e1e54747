"""A control draws its view anew, and nothing else of the page; the address follows, and Back shows it again."""

import pytest
from playwright.sync_api import WebSocket, expect

from pages.components.frame.presenting import LEADS_ON
from pages.content.pages import DATA
from tests.browser.conftest import Visit, open_from_menu, press, settle

pytestmark = pytest.mark.browser


def test_an_answer_in_a_view_brings_what_stands_below_it_too(visit: Visit) -> None:
    tab = visit("learning_rate?lesson=60")
    expect(tab.get_by_test_id("stCode")).to_have_count(0)
    press(tab, LEADS_ON)
    expect(tab.get_by_test_id("stCode").first).to_be_visible()


@pytest.mark.long
def test_a_slider_sends_its_view_alone_and_back_shows_it_again(visit: Visit) -> None:
    tab = visit("masks?masks_view=causal")
    frames: list[str | bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(frame))

    tab.on("websocket", listen)
    tab.reload()
    settle(tab)
    whole = len(frames)
    slider = tab.locator(".st-key-triangle input").first
    frames.clear()
    slider.press("ArrowRight")
    settle(tab)
    assert 0 < len(frames) < whole / 3
    left = tab.url
    assert "triangle=8" in left
    open_from_menu(tab, DATA)
    tab.go_back()
    expect(slider).to_have_value("8")
    assert tab.url == left
