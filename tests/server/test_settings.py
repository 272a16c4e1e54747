import dataclasses
from typing import Any

import pytest

from core.described import field_infos
from core.errors import InputError
from core.server.settings import PREFIX, Settings
from tests.conftest import numbers

OTHERS: dict[type, tuple[str, object]] = {
    bool: (" No ", False),
    str: (" seven whales ", "seven whales"),
    tuple: ("train, data,", ("train", "data")),
}
"""By the kind of a setting that is no number: what the environment says, and what comes of it."""


@pytest.mark.parametrize("name", field_infos(Settings))
def test_every_setting_can_be_changed(name: str) -> None:
    text, value = OTHERS.get(type(getattr(Settings(), name)), ("7", 7))
    if name == "public_address":
        text = value = "https://class.example"
    changed = Settings.from_environment({PREFIX + name.upper(): text})
    expected: dict[str, Any] = {name: value}
    assert changed == dataclasses.replace(Settings(), **expected)
    assert changed != Settings()


@pytest.mark.parametrize(
    ("name", "values", "limits"),
    [
        ("CLASSCODE", ["blue whale"], ""),
        ("TRAINING_ALLOWED", ["", "off?", "2"], ""),
        ("CLASS_CODE", ["abcde", "w" * 101], "6 100"),
        (
            "PUBLIC_ADDRESS",
            ["class.example", "host:8000", "file:///etc/passwd", "http://", "http://host/a b"],
            "8000",
        ),
        (
            "MAX_TRAININGS",
            ["", "many", "0", "-1", "nan", "inf", "1e400", "2.5", "9" * 5000],
            "1",
        ),
        ("MAX_MEMORY", ["-1"], "0"),
        ("MAX_TRAINING_SECONDS", ["-1", "inf", "soon"], "0"),
    ],
)
def test_a_wrong_value_is_named_but_no_code(name: str, values: list[str], limits: str) -> None:
    for value in values:
        with pytest.raises(InputError, match=rf"\b{PREFIX}{name}\b") as error:
            Settings.from_environment({PREFIX + name: value})
        assert numbers(str(error.value))[: len(limits.split())] == limits.split()
        assert name != "CLASS_CODE" or value not in str(error.value)
