"""The teacher's page: whose it is, and which address it shows."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.addresses.short_addresses import SharedView
from pages.components.app import resources
from pages.components.app.menu import PAGES, TEACHER
from pages.components.teacher import card, projector
from pages.components.teacher.card import Card
from tests.conftest import ChangeSetting
from tests.pages.conftest import PATIENCE, ROOT, OpenPage, press

CODE = "humpback 1871"
ROOT_ADDRESS = "https://class.example"


@pytest.fixture
def teacher_code(change_setting: ChangeSetting) -> None:
    resources.code_lock.clear()
    resources.short_addresses.clear()
    change_setting("teacher_code", CODE)
    change_setting("public_address", f"{ROOT_ADDRESS}/")


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> list[Card]:
    """What was shown, the newest last; each with what its QR code says in place of the code."""
    shown: list[Card] = []
    monkeypatch.setattr(projector, "qr_svg", lambda text: text)
    monkeypatch.setattr(card, "show_card", shown.append)
    return shown


def opened(app: AppTest) -> AppTest:
    app.text_input[0].set_value(CODE)
    press(app, "Open")
    assert not app.exception
    return app


def widget(app: AppTest, kind: str, key: str) -> Any:
    return next(each for each in app.get(kind) if each.key == key)


def test_without_a_teachers_code_there_is_no_such_page(open_page: OpenPage, cards: list[Card]) -> None:
    app = open_page(TEACHER.file)
    assert [title.value for title in app.title] == [
        "Transformer Classroom"
    ]  # Home, as for every unknown address
    assert not app.text_input and not cards


def test_its_script_alone_shows_a_student_nothing(cards: list[Card]) -> None:
    """As Streamlit would run it before it knows of the navigation, and whatever a browser asks for."""
    app = AppTest.from_file(str(ROOT / TEACHER.file), default_timeout=PATIENCE)
    app.session_state["navigated"] = True
    app.run()
    assert not app.exception
    assert not app.title and not app.metric and not cards


@pytest.mark.parametrize("typed", ["", "humpback", "blue whale", f"{CODE} 2"])
def test_a_student_does_not_come_in(
    open_page: OpenPage, teacher_code: None, change_setting: ChangeSetting, cards: list[Card], typed: str
) -> None:
    change_setting("class_code", "blue whale")
    app = open_page(TEACHER.file)
    app.text_input[0].set_value(typed)
    press(app, "Open")
    assert "That is not the teacher's code" in app.error[0].value
    assert not app.metric and not cards
    assert "workspace" not in app.session_state


def test_no_link_brings_the_teachers_code(teacher_code: None, cards: list[Card]) -> None:
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE)
    app.query_params["code"] = CODE
    app.switch_page(TEACHER.file).run()
    assert app.text_input[0].label == "Teacher's code"
    assert not cards


def test_the_teachers_code_opens_the_class_too(
    open_page: OpenPage, teacher_code: None, change_setting: ChangeSetting
) -> None:
    change_setting("class_code", "blue whale")
    app = opened(open_page(TEACHER.file))
    app.switch_page("pages/masks.py").run()
    assert app.title[0].value == "Masks"


def test_every_page_has_an_address(open_page: OpenPage, teacher_code: None, cards: list[Card]) -> None:
    app = opened(open_page(TEACHER.file))
    assert (cards[-1].code, cards[-1].address) == (f"{ROOT_ADDRESS}/", "class.example")
    for page in PAGES[1:]:
        widget(app, "selectbox", "projected_page").set_value(page.address).run()
        assert cards[-1].code == f"{ROOT_ADDRESS}/{page.address}"
        assert cards[-1].address == f"class.example/{page.address}"


def test_a_view_as_the_teacher_left_it(open_page: OpenPage, teacher_code: None, cards: list[Card]) -> None:
    app = opened(open_page(TEACHER.file))
    app.switch_page("pages/masks.py").run()
    app.segmented_control(key="masks").set_value("causal").run()
    app.switch_page(TEACHER.file).run()
    widget(app, "selectbox", "projected_page").set_value("masks").run()
    assert cards[-1].code == f"{ROOT_ADDRESS}/masks?masks=causal"
    assert cards[-1].address == "class.example/?go=1"
    widget(app, "toggle", "projected_as_seen").set_value(False).run()
    assert cards[-1].code == f"{ROOT_ADDRESS}/masks"


def test_a_pasted_address(open_page: OpenPage, teacher_code: None, cards: list[Card]) -> None:
    app = opened(open_page(TEACHER.file))
    box = widget(app, "text_input", "projected_address")
    box.set_value("http://localhost:8501/translate?sentence=ol%C3%A1&code=blue+whale").run()
    assert cards[-1].code == f"{ROOT_ADDRESS}/translate?sentence=ol%C3%A1"
    box.set_value(f"http://localhost:8501/translate?sentence={'x' * 400}").run()
    assert cards[-1].code == f"{ROOT_ADDRESS}/?go=2"  # too long for a code that the back row can read
    box.set_value("https://elsewhere.example/login").run()
    assert "not the address of a page of this app" in app.error[0].value.replace("\\", "")


def test_the_class_code_is_in_the_code_only_where_the_teacher_says_so(
    open_page: OpenPage, teacher_code: None, cards: list[Card], change_setting: ChangeSetting
) -> None:
    app = opened(open_page(TEACHER.file))
    assert not [toggle for toggle in app.toggle if toggle.key == "code_in_qr"]  # there is none to give away
    change_setting("class_code", "blue whale")
    app = opened(open_page(TEACHER.file))
    assert cards[-1].code == f"{ROOT_ADDRESS}/"
    widget(app, "toggle", "code_in_qr").set_value(True).run()
    assert cards[-1].code == f"{ROOT_ADDRESS}/?code=blue+whale"
    assert cards[-1].address == "class.example"


def test_a_short_address_leads_to_the_view(open_page: OpenPage, teacher_code: None) -> None:
    number = resources.short_addresses().number_of(SharedView("masks", {"masks": "causal"}))
    for asked, title in ((number, "Masks"), ("99", "Transformer Classroom")):
        app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE)
        app.query_params["go"] = asked
        app.run()
        assert not app.exception
        assert app.title[0].value == title
    assert "This short address is not valid" in app.toast[0].value


def test_whoever_goes_elsewhere_after_a_short_address_is_not_sent_back(
    open_page: OpenPage, teacher_code: None
) -> None:
    app = opened_short(SharedView("masks", {"masks": "causal"}))
    for file, title in (
        ("pages/learning_rate.py", "Learning-rate schedule"),
        ("pages/home.py", "Transformer Classroom"),
    ):
        app.switch_page(file).run()
        assert app.title[0].value == title


def test_a_first_page_that_the_browser_asks_for_again_leads_on_too(
    open_page: OpenPage, teacher_code: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.app.navigation._AIM_SECONDS", 1000.0)
    app = opened_short(SharedView("masks", {"masks": "causal"}))
    app.switch_page("pages/home.py").run()
    assert app.title[0].value == "Masks"


def test_a_short_address_of_the_first_page_keeps_what_it_says(
    open_page: OpenPage, teacher_code: None
) -> None:
    app = opened_short(SharedView("home", {"lesson": "30"}))
    assert app.segmented_control(key="lesson").value == 30


def opened_short(view: SharedView) -> AppTest:
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE)
    app.query_params["go"] = resources.short_addresses().number_of(view)
    app.run()
    assert not app.exception
    return app
