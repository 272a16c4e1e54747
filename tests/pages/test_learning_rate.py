import pytest
from streamlit.testing.v1 import AppTest

from pages.content.pages import LEARNING_RATE
from tests.pages.conftest import change, linked, open_page, press, texts

PAGE = LEARNING_RATE.file


def test_every_number_moves_the_peak() -> None:
    app = open_page(PAGE)
    assert "highest at step **4,000**: **0.000699**" in texts(app)  # (512 * 4000)^-0.5
    change(app, width_of_model=128)
    assert "step **4,000**: **0.0014**" in texts(app)  # a quarter of the width, twice the rate
    change(app, warmup=1000)
    assert "step **1,000**: **0.0028**" in texts(app)
    change(app, schedule="linear", rate=0.002)
    assert "step **1,000**: **0.002**" in texts(app)
    change(app, schedule="warmup", total=1, warmup=1)
    assert "highest at step **1**" in texts(app)


@pytest.mark.parametrize("schedule", ["warmup", "linear"])
@pytest.mark.parametrize("warmup", [0, 50_000])  # of 20,000 steps
def test_a_warmup_that_is_none_or_never_ends_is_warned_of(schedule: str, warmup: int) -> None:
    assert open_page(PAGE, schedule=schedule, warmup=warmup).warning


def kept_curves(app: AppTest) -> list[str]:
    return [button.label for button in app.main.button if button.label.startswith(("constant", "paper,"))]


def test_curves_are_kept_removed_and_linked() -> None:
    app = press(open_page(PAGE), "keep_curve")
    assert next(button for button in app.button if button.label == "Keep this curve").disabled
    change(app, width_of_model=256)
    kept = kept_curves(app)
    assert kept == ["constant 0.0005", "paper, d_model 512, warmup 4,000"]
    again = linked(PAGE, curves=app.query_params["curves"])
    assert kept_curves(again) == kept
    press(app, "remove_0")
    assert "constant 0.0005" not in [button.label for button in app.button]
    for width in (64, 65, 66):
        press(change(app, width_of_model=width), "keep_curve")
    change(app, width_of_model=67)
    assert sum(button.label.startswith("paper") for button in app.button) == 4  # as many as there may be
