from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.settings import PREFIX, Settings, SettingsError
from tests.conftest import ChangeSetting
from tests.pages.conftest import ROOT


def test_nothing_in_the_environment_leaves_the_defaults() -> None:
    assert Settings.from_environment({"PATH": "/bin"}) == Settings()


def test_a_server_that_nobody_has_set_up_ends_what_takes_long() -> None:
    settings = Settings()
    assert settings.max_training_seconds <= 600
    assert settings.max_translation_seconds <= 120
    assert settings.max_evaluation_seconds <= 1800


OTHERS: dict[type, tuple[str, object]] = {
    bool: (" No ", False),
    str: (" seven whales ", "seven whales"),
    tuple: ("train, data,", ("train", "data")),
}
"""By the kind of a setting that is no number: what the environment says, and what comes of it."""


@pytest.mark.parametrize("field", dataclasses.fields(Settings), ids=lambda field: field.name)
def test_every_setting_can_be_changed(field: dataclasses.Field[object]) -> None:
    text, value = OTHERS.get(type(field.default), ("7", 7))
    if field.name == "public_address":
        text = value = "https://class.example"
    changed = Settings.from_environment({PREFIX + field.name.upper(): text})
    expected: dict[str, Any] = {field.name: value}
    assert changed == dataclasses.replace(Settings(), **expected)
    assert changed != Settings()


@pytest.mark.parametrize("text", ["true", "True", "1", "yes"])
def test_what_is_true(text: str) -> None:
    assert Settings.from_environment({f"{PREFIX}TRAINING_ALLOWED": text}).training_allowed


@pytest.mark.parametrize("text", ["", "off?", "2"])
def test_neither_true_nor_false(text: str) -> None:
    with pytest.raises(SettingsError, match=r"TRAINING_ALLOWED must be true or false\. Received"):
        Settings.from_environment({f"{PREFIX}TRAINING_ALLOWED": text})


@pytest.mark.parametrize(
    ("codes", "problem"),
    [
        ({"CLASS_CODE": "abc"}, "CLASS_CODE must have 4 to 100 characters. Received: 3"),
        ({"CLASS_CODE": "w" * 101}, "CLASS_CODE must have 4 to 100 characters. Received: 101"),
        (
            {"PUBLIC_ADDRESS": "class.example"},
            "PUBLIC_ADDRESS must be an address such as https://host:8000. Received",
        ),
    ],
)
def test_texts_that_would_not_do(codes: dict[str, str], problem: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(problem)) as error:
        Settings.from_environment({PREFIX + name: code for name, code in codes.items()})
    assert not any(code in str(error.value) for name, code in codes.items() if name.endswith("CODE"))


@pytest.mark.parametrize("value", ["", "many", "0", "-1", "nan", "inf", "1e400", "2.5", "9" * 5000])
def test_a_wrong_value_is_named(value: str) -> None:
    with pytest.raises(
        SettingsError, match=r"TRANSFORMER_CLASSROOM_MAX_TRAININGS must be a whole number from 1\. Received"
    ):
        Settings.from_environment({"TRANSFORMER_CLASSROOM_MAX_TRAININGS": value})


def test_zero_leaves_the_memory_to_the_server() -> None:
    assert Settings.from_environment({f"{PREFIX}MAX_MEMORY": "0"}) == Settings()
    with pytest.raises(SettingsError, match=r"MAX_MEMORY must be a whole number from 0\. Received: '-1'"):
        Settings.from_environment({f"{PREFIX}MAX_MEMORY": "-1"})


@pytest.mark.parametrize("value", [2.5, 0.0])
def test_seconds_may_have_a_fraction_or_be_none(value: float) -> None:
    changed = Settings.from_environment({"TRANSFORMER_CLASSROOM_MAX_TRANSLATION_SECONDS": str(value)})
    assert changed.max_translation_seconds == value


@pytest.mark.parametrize(
    "value", ["host:8000", "file:///etc/passwd", "ftp://host", "http://", "http://host/a b"]
)
def test_the_public_address_is_an_address(value: str) -> None:
    with pytest.raises(
        SettingsError, match="TRANSFORMER_CLASSROOM_PUBLIC_ADDRESS must be an address such as"
    ):
        Settings.from_environment({"TRANSFORMER_CLASSROOM_PUBLIC_ADDRESS": value})


def test_the_app_says_what_is_wrong(change_setting: ChangeSetting) -> None:
    change_setting("max_trainings", "two")
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60).run()
    assert not app.exception
    assert "TRANSFORMER_CLASSROOM_MAX_TRAININGS must be a whole number from 1" in app.error[0].value
    assert not app.button
