from __future__ import annotations

import pytest

from core.theory.schedule import Schedule
from pages.components.app.menu import LEARNING_RATE
from pages.components.learning_rate.kept_curves import curves_from, curves_text
from tests.pages.conftest import OpenPage, press, texts
from tests.pages.explaining import open_address

PAGE = LEARNING_RATE.file


def test_first_view(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "highest at step **4,000**: **0.000699**" in texts(app)  # (512 * 4000)^-0.5
    assert "def warmup_rate" in app.code[0].value
    assert app.code[1].value.startswith("def rates")


@pytest.mark.parametrize(("address", "divides"), [({}, True), ({"schedule": "linear"}, False)])
def test_without_warm_up(open_page: OpenPage, address: dict[str, str], divides: bool) -> None:
    app = open_address(open_page, PAGE, {**address, "warmup": "0"})
    assert "Without warmup the very first step is the largest" in app.warning[0].value
    assert ("would divide by 0" in app.warning[0].value) is divides


def test_every_number_moves_the_peak(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.number_input(key="width_of_model").set_value(128).run()
    assert "step **4,000**: **0.0014**" in texts(app)  # a quarter of the width, twice the rate
    app.number_input(key="warmup").set_value(1000).run()
    assert "step **1,000**: **0.0028**" in texts(app)
    app.segmented_control(key="schedule").set_value("linear").run()
    app.number_input(key="rate").set_value(0.002).run()
    assert "step **1,000**: **0.002**" in texts(app)
    app.segmented_control(key="schedule").set_value("constant").run()
    assert "The rate is **0.002** at every step" in texts(app)


def test_curves_are_kept_and_removed(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    press(app, "Keep this curve")
    assert next(button for button in app.button if button.label == "Keep this curve").disabled
    app.number_input(key="width_of_model").set_value(256).run()
    assert [button.label for button in app.main.button][-2:] == [
        "constant 0.0005",
        "paper, d_model 512, warmup 4,000",
    ]
    press(app, "constant 0.0005")
    assert "constant 0.0005" not in [button.label for button in app.button]
    app.number_input(key="width_of_model").set_value(64).run()
    for width in (65, 66, 67):
        press(app, "Keep this curve")
        app.number_input(key="width_of_model").set_value(width).run()
    assert sum(button.label.startswith("paper") for button in app.button) == 4  # as many as there may be
    assert not app.exception


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"warmup": "0"}, "Without warmup the very first step is the largest: **0.0442**"),
        ({"warmup": "50000"}, "the rate has only grown to **7.91e-05**"),
        ({"warmup": "50000", "schedule": "linear"}, "only grown to **0.0004**"),
        ({"warmup": "0", "schedule": "linear"}, "Without warmup the very first step"),
    ],
)
def test_warm_ups_that_are_none(open_page: OpenPage, address: dict[str, str], said: str) -> None:
    assert said in open_address(open_page, PAGE, address).warning[0].value


def test_an_address_opens_its_view(open_page: OpenPage) -> None:
    address = {"width_of_model": "64", "warmup": "400", "total": "1000"}
    app = open_address(open_page, PAGE, {**address, "curves": "warmup_256_800_0.001;linear_512_90_0.002"})
    assert "step **400**: **0.00625**" in texts(app)
    assert [button.label for button in app.main.button][-2:] == [
        "paper, d_model 256, warmup 800",
        "linear, peak 0.002, warmup 90",
    ]


def test_nonsense_in_the_address_is_ignored(open_page: OpenPage) -> None:
    nonsense = {
        "width_of_model": "1e9",
        "warmup": "1e309",
        "total": "many",
        "curves": "x;warmup_0_1_1;constant_1_1_nan",
        "rate": "1e309",
    }
    app = open_address(open_page, PAGE, nonsense)
    assert "highest at step **4,000**: **0.000699**" in texts(app)


def test_one_step(open_page: OpenPage) -> None:
    app = open_address(open_page, PAGE, {"total": "1", "warmup": "1"})
    assert "highest at step **1**" in texts(app)


def test_curves_in_an_address_come_back() -> None:
    curves = (
        Schedule("warmup", 64, 0),
        Schedule("linear", warmup_steps=9, rate=0.25),
        Schedule("constant", rate=1),
    )
    assert curves_from(curves_text(curves)) == curves
    assert curves_from("") == ()
    assert len(curves_from(";".join(f"warmup_{width}_1_1" for width in range(1, 9)))) == 4
