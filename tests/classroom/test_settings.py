from __future__ import annotations

import dataclasses

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.settings import PREFIX, Settings, SettingsError
from tests.conftest import ChangeSetting
from tests.pages.conftest import ROOT


def test_nothing_in_the_environment_leaves_the_defaults() -> None:
    assert Settings.from_environment({"PATH": "/bin"}) == Settings()


@pytest.mark.parametrize("field", dataclasses.fields(Settings), ids=lambda field: field.name)
def test_every_setting_can_be_changed(field: dataclasses.Field[float]) -> None:
    changed = Settings.from_environment({PREFIX + field.name.upper(): "7"})
    assert changed == dataclasses.replace(Settings(), **{field.name: 7})


@pytest.mark.parametrize("value", ["", "many", "0", "-1", "nan", "inf", "1e400", "2.5", "9" * 5000])
def test_a_wrong_value_is_named(value: str) -> None:
    with pytest.raises(
        SettingsError, match=r"TRANSFORMER_CLASSROOM_MAX_RUNS must be a whole number from 1\. Received"
    ):
        Settings.from_environment({"TRANSFORMER_CLASSROOM_MAX_RUNS": value})


@pytest.mark.parametrize("value", [2.5, 0.0])
def test_seconds_may_have_a_fraction_or_be_none(value: float) -> None:
    changed = Settings.from_environment({"TRANSFORMER_CLASSROOM_MAX_AWAY_SECONDS": str(value)})
    assert changed.max_away_seconds == value


def test_the_app_says_what_is_wrong(change_setting: ChangeSetting) -> None:
    change_setting("max_runs", "two")
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60).run()
    assert not app.exception
    assert "TRANSFORMER_CLASSROOM_MAX_RUNS must be a whole number from 1" in app.error[0].value
    assert not app.button
