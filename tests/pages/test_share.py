"""The dialog for other people: which address it shows, and what its QR code says."""

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from pages.components.frame import share
from pages.content.lesson_file import pack_lesson
from pages.content.lessons import LINKED, MINE
from pages.content.pages import HOME, MASKS, TEXT_AS_NUMBERS
from tests.conftest import ChangeSetting
from tests.pages.conftest import change, go_to, linked, open_page, press, remembered
from tests.pages.test_lesson_file import OWN


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch, change_setting: ChangeSetting) -> list[str]:
    """Record the texts of the QR codes, the newest last."""
    texts: list[str] = []

    def note(text: str) -> str:
        texts.append(text)
        return "<svg ></svg>"

    monkeypatch.setattr(share, "qr_svg", note)
    change_setting("public_address", "https://class.example/nmt/")
    return texts


def address_shown(app: AppTest) -> str:
    return next(code.value for code in app.code if code.value.startswith("https://"))


def test_every_page_is_shared(scanned: list[str]) -> None:
    app = open_page(HOME.file)
    for page in (HOME, TEXT_AS_NUMBERS, MASKS):
        press(go_to(app, page.file), "share")
    assert scanned == [f"https://class.example/nmt/{name}" for name in ("", "text_as_numbers", "masks")]


def test_a_view_is_shared_as_it_is_but_for_presenter_mode(scanned: list[str]) -> None:
    app = press(linked("pages/masks.py", masks_view="causal", present="true"), "share")
    assert address_shown(app) == scanned[-1] == "https://class.example/nmt/masks?masks_view=causal"
    remembered(app).change_lesson(OWN)
    press(change(app, lesson=MINE), "share")
    assert app.query_params["lesson"] == MINE and "lesson" not in scanned[-1], "only this tab has it"
    press(linked("pages/masks.py", lesson=LINKED, my_lesson=pack_lesson(OWN)), "share")
    assert "lesson=" not in scanned[-1].replace("my_lesson=", ""), "a link opens the lesson, not a step of it"


def test_a_choice_of_several_is_shared_whole(scanned: list[str]) -> None:
    app = open_page("pages/positional_encoding.py", positions_view="waves", channels=[0, 7, 33])
    press(app, "share")
    assert scanned[-1].endswith("channels=0&channels=7&channels=33")


def test_an_address_too_long_for_a_qr_code_is_shown_alone(scanned: list[str]) -> None:
    app = press(linked("pages/text_as_numbers.py", english="whale " * 300), "share")
    assert not scanned and app.info
    assert len(address_shown(app)) > 1_000


@pytest.mark.parametrize(("is_served", "shown"), [(True, "room/K7QF"), (False, "?room=K7QF")])
def test_a_room_is_joined_by_the_phone_s_page_where_it_is_served(
    scanned: list[str], monkeypatch: pytest.MonkeyPatch, is_served: bool, shown: str
) -> None:
    monkeypatch.setattr(share, "has_app", lambda: is_served)
    assert share.room_address("K7QF") == f"https://class.example/nmt/{shown}"


LOCAL, PUBLIC = "http://localhost:8501/masks", "https://class.example/masks"


def open_as(monkeypatch: pytest.MonkeyPatch, change_setting: ChangeSetting, address: str) -> None:
    """Have tabs open the app by this address, on a computer with two others."""
    change_setting("public_address", "")
    monkeypatch.setattr(share, "network_addresses", lambda: ("10.0.0.7", "192.168.1.20"))
    monkeypatch.setattr(type(st.context), "url", property(lambda _: address))


@pytest.mark.parametrize(
    ("opened_as", "server", "shown"),
    [
        (LOCAL, "", "http://10.0.0.7:8501/masks"),
        (LOCAL, "127.0.0.1", LOCAL),  # others cannot reach it
        (PUBLIC, "", PUBLIC),
    ],
)
def test_others_reach_the_app_by_its_address_in_the_network(
    scanned: list[str],
    change_setting: ChangeSetting,
    monkeypatch: pytest.MonkeyPatch,
    opened_as: str,
    server: str,
    shown: str,
) -> None:
    open_as(monkeypatch, change_setting, opened_as)
    before = config.get_option("server.address")
    config.set_option("server.address", server)
    try:
        app = press(open_page(MASKS.file), "share")
    finally:
        config.set_option("server.address", before)
    assert scanned == [shown] == [code.value for code in app.code][-1:]
    assert bool(app.warning) == (shown == LOCAL)
    assert ("share_host" in [each.key for each in app.selectbox]) == shown.startswith("http://10")


def test_another_address_of_this_computer_can_be_chosen(
    scanned: list[str], change_setting: ChangeSetting, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_as(monkeypatch, change_setting, LOCAL)
    app = press(open_page(MASKS.file), "share")
    app.selectbox(key="share_host").set_value("192.168.1.20")
    press(app, "share")
    press(go_to(app, TEXT_AS_NUMBERS.file), "share")
    assert scanned[0] == "http://10.0.0.7:8501/masks"
    assert {*scanned[1:]} == {"http://192.168.1.20:8501/masks"}
