from __future__ import annotations

import pytest

from core.theory.schedule import Schedule
from pages.components.menu import LEARNING_RATE
from pages.learning_rate import read_curves, write_curves
from tests.pages.conftest import OpenPage, change, linked, press, texts

PAGE = LEARNING_RATE.file


def test_every_number_moves_the_peak(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "highest at step **4,000**: **0.000699**" in texts(app)  # (512 * 4000)^-0.5
    assert "def warmup_rate" in app.code[0].value
    assert app.code[1].value.startswith("def rates")
    change(app, width_of_model=128)
    assert "step **4,000**: **0.0014**" in texts(app)  # a quarter of the width, twice the rate
    change(app, warmup=1000)
    assert "step **1,000**: **0.0028**" in texts(app)
    change(app, schedule="linear", rate=0.002)
    assert "step **1,000**: **0.002**" in texts(app)
    change(app, schedule="constant")
    assert "The rate is **0.002** at every step" in texts(app)
    change(app, schedule="warmup", total=1, warmup=1)
    assert "highest at step **1**" in texts(app)


@pytest.mark.parametrize(
    ("schedule", "warmup", "said"),
    [
        (
            "warmup",
            0,
            "the first step is the largest: **0.0442**, while the weights are still random. (The",
        ),
        ("linear", 0, "Without warmup the first step is the largest"),  # and nothing is divided by 0
        ("warmup", 50_000, "the rate has only grown to **7.91e-05**"),
        ("linear", 50_000, "only grown to **0.0004**"),
    ],
)
def test_warm_ups_that_are_none(open_page: OpenPage, schedule: str, warmup: int, said: str) -> None:
    warning = open_page(PAGE, schedule=schedule, warmup=warmup).warning[0].value
    assert said in warning
    assert ("would divide by 0" in warning) is (schedule == "warmup" and warmup == 0)


def test_curves_are_kept_removed_and_linked(open_page: OpenPage) -> None:
    app = press(open_page(PAGE), "Keep this curve")
    assert next(button for button in app.button if button.label == "Keep this curve").disabled
    change(app, width_of_model=256)
    kept = [button.label for button in app.main.button][-2:]
    assert kept == ["constant 0.0005", "paper, d_model 512, warmup 4,000"]
    again = linked(PAGE, curves=app.query_params["curves"])
    assert [button.label for button in again.main.button][-2:] == kept
    press(app, "constant 0.0005")
    assert "constant 0.0005" not in [button.label for button in app.button]
    for width in (64, 65, 66):
        press(change(app, width_of_model=width), "Keep this curve")
    change(app, width_of_model=67)
    assert sum(button.label.startswith("paper") for button in app.button) == 4  # as many as there may be


def test_curves_in_an_address_come_back() -> None:
    curves = (
        Schedule("warmup", 64, 0),
        Schedule("linear", warmup_steps=9, rate=0.25),
        Schedule("constant", rate=1),
    )
    assert read_curves(write_curves(curves)) == curves
    assert read_curves("") == ()
    five = ";".join(f"warmup_{width}_1_1" for width in range(1, 6))
    for wrong in ("x", "warmup_0_1_1", "constant_1_1_nan", five):
        with pytest.raises(ValueError, match=r"\.$"):
            read_curves(wrong)
