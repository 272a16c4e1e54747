"""What a server lets its class do: who comes in, which pages there are, whether and how many models are trained."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.toy import PAIRS as TOY_PAIRS
from core.errors import InputError
from core.presets import CLASSROOM
from core.server.access import Attempts, CodeLock, TooManyCodesError
from core.server.settings import PREFIX
from core.server.training_job import TrainingPlan
from core.server.workspace import why_no_training
from core.training.recipe import prepare_training
from pages.components.frame.class_code import code_lock
from pages.components.frame.presenting import LEADS_ON
from pages.components.frame.seat import SEAT_COOKIE
from pages.components.frame.session import server_rooms
from pages.components.model.choice import shipped_models
from pages.content.pages import DATA, EVALUATE, HOME, MASKS, MY_LESSON, PAGES, TRAIN, TRANSLATE
from tests.conftest import ChangeSetting
from tests.pages.conftest import (
    PATIENCE,
    SCRIPT,
    go_to,
    keys_of,
    linked,
    open_page,
    press,
    targets,
    texts,
    workspace_of,
)

CLASS_CODE = "blue whale"


def type_code(app: AppTest, code: str) -> AppTest:
    app.text_input[0].set_value(code)
    return press(app, "enter")


def is_outside(app: AppTest) -> bool:
    """Return whether the page asks for the class code and nothing else, and no workspace was created."""
    return len(app.text_input) == 1 and keys_of(app) == {"enter"} and "workspace" not in app.session_state


@pytest.fixture
def class_code(change_setting: ChangeSetting) -> None:
    code_lock.clear()
    change_setting("class_code", CLASS_CODE)


@pytest.mark.slow
def test_nothing_of_any_page_runs_before_the_class_code(
    class_code: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr("pages.components.frame.menu.run_page", lambda page: ran.append(page.title))
    for page in PAGES:
        assert is_outside(open_page(page.file)), page.title
    assert ran == []


def test_once_many_codes_were_wrong_a_page_says_so_and_reads_none(
    class_code: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = CodeLock(CLASS_CODE, Attempts(lambda: 0.0))
    monkeypatch.setattr("pages.components.frame.class_code.code_lock", lambda code: lock)
    monkeypatch.setattr("pages.components.frame.class_code.address", lambda: "10.0.0.1")
    with pytest.raises(TooManyCodesError) as refused:
        while True:
            lock.check_code("grey whale", "10.0.0.1")
    app = type_code(open_page(HOME.file), CLASS_CODE)
    assert app.error[0].value == str(refused.value)
    assert is_outside(app)


def test_a_phone_with_a_seat_is_not_asked_for_the_class_code_again(
    class_code: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = server_rooms()
    rooms.join(rooms.open("teacher").room, "its cookie")
    for cookie, is_asked in (("its cookie", False), ("a guess", True)):
        monkeypatch.setattr(type(st.context), "cookies", {SEAT_COOKIE: cookie})
        assert is_outside(open_page(MASKS.file)) is is_asked


def test_a_link_may_bring_the_class_code(class_code: None) -> None:
    app = linked(MASKS.file, code="grey whale", masks_view="causal")
    assert is_outside(app) and app.error
    app = linked(MASKS.file, code=CLASS_CODE, masks_view="causal")
    assert "code" not in app.query_params
    assert app.segmented_control(key="masks_view").value == "causal"


def test_only_the_pages_of_the_class(change_setting: ChangeSetting, with_shipped: None) -> None:
    change_setting("pages", "masks,train")
    app = open_page(HOME.file)
    assert {*targets(app)} == {page.address for page in (MASKS, TRAIN, MY_LESSON)}
    assert "quick_start_learn" in keys_of(app)
    assert not any(key.startswith("open_") and key != "open_room" for key in keys_of(app))
    for left_out in (DATA, EVALUATE, TRANSLATE):
        go_to(app, left_out.file)
        assert left_out.title in app.info[0].value
        assert not app.title and not app.selectbox
    assert go_to(app, MASKS.file).title[0].value == MASKS.title


@pytest.mark.parametrize(
    ("setting", "value", "received"),
    [("pages", "train,trian", "trian"), ("default_model", "fr_en", "fr_en")],
)
def test_a_setting_that_names_nothing_is_said(
    change_setting: ChangeSetting, with_shipped: None, setting: str, value: str, received: str
) -> None:
    change_setting(setting, value)
    app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE).run()
    said = app.error[0].value
    assert f"{PREFIX}{setting.upper()}" in said and repr(received) in said
    assert not app.title and not app.button


def test_the_model_to_begin_with(change_setting: ChangeSetting, with_shipped: None) -> None:
    assert [model.id for model in shipped_models()] == ["ted_pt_en", "anki_en_fr"]
    change_setting("default_model", "anki_en_fr")
    assert list(shipped_checkpoints()) == ["ted_pt_en", "anki_en_fr"]
    assert [model.id for model in shipped_models()] == ["anki_en_fr", "ted_pt_en"]
    assert open_page(TRANSLATE.file).selectbox(key="model").value == "anki_en_fr"


def test_where_training_is_off_pages_say_so_and_the_server_refuses_it(
    change_setting: ChangeSetting, with_shipped: None
) -> None:
    """Whatever a browser sends: a button that is grey can be pressed by a program."""
    app = open_page(TRAIN.file)
    change_setting("training_allowed", "false")
    app = press(app, LEADS_ON)  # drawn before it was switched off
    assert app.toast
    plan = TrainingPlan("Pairs", prepare_training(TOY_PAIRS, CLASSROOM.model, CLASSROOM.training))
    with pytest.raises(InputError):
        workspace_of(app).jobs.start_training(plan)
    assert workspace_of(app).jobs.training is None
    for file in (HOME.file, TRAIN.file):
        app = open_page(file)
        assert why_no_training() in texts(app)
        enabled = {button.key for button in app.button if not button.disabled}
        assert not {LEADS_ON, "quick_start_learn", "train_classroom"} & enabled


def test_true_and_false_of_the_secrets_count(change_setting: ChangeSetting) -> None:
    """Streamlit puts only texts and numbers into the environment."""
    change_setting("training_allowed", "true")
    app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE)
    app.secrets["TRANSFORMER_CLASSROOM_TRAINING_ALLOWED"] = False
    app.run()
    assert why_no_training() in texts(app)


def test_secrets_that_cannot_be_read_open_no_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change_setting: ChangeSetting
) -> None:
    broken = tmp_path / "secrets.toml"
    broken.write_text('TRANSFORMER_CLASSROOM_CLASS_CODE = "blue whale')
    monkeypatch.setattr(st.secrets, "_secrets", None)
    files = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(broken)])
    try:
        app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE).run()
    finally:
        config.set_option("secrets.files", files)
    assert not app.exception
    assert app.error and not app.title and not app.button
