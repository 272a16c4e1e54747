import pytest
from streamlit.testing.v1 import AppTest

from core.figures.plotly.training import name_of
from core.theory.schedule import Schedule
from pages.content.pages import LEARNING_RATE
from tests.pages.conftest import change, linked, numbers_said, open_page, press

PAGE = LEARNING_RATE.file


def test_every_number_moves_the_peak() -> None:
    app = open_page(PAGE)
    assert ["4,000", f"{(512 * 4000) ** -0.5:.3g}"] in numbers_said(app)
    change(app, width_of_model=128)
    assert ["4,000", f"{(128 * 4000) ** -0.5:.3g}"] in numbers_said(app)
    change(app, warmup=1000)
    assert ["1,000", f"{(128 * 1000) ** -0.5:.3g}"] in numbers_said(app)
    change(app, schedule="linear", rate=0.002)
    assert ["1,000", "0.002"] in numbers_said(app)
    change(app, schedule="warmup", total=1, warmup=1)
    assert ["1", f"{128**-0.5:.3g}"] in numbers_said(app)


@pytest.mark.parametrize("schedule", ["warmup", "linear"])
@pytest.mark.parametrize("warmup", [0, 50_000])  # of 20,000 steps
def test_a_warmup_that_is_none_or_never_ends_is_warned_of(schedule: str, warmup: int) -> None:
    assert open_page(PAGE, schedule=schedule, warmup=warmup).warning


def kept_curves(app: AppTest) -> list[str]:
    return [button.label for button in app.main.button if str(button.key).startswith("remove_")]


@pytest.mark.slow
def test_curves_are_kept_removed_and_linked() -> None:
    app = press(open_page(PAGE), "keep_curve")
    assert app.button(key="keep_curve").disabled
    change(app, width_of_model=256)
    kept = kept_curves(app)
    assert kept == [name_of(Schedule("constant", rate=0.0005)), name_of(Schedule("warmup"))]
    again = linked(PAGE, curves=app.query_params["curves"])
    assert kept_curves(again) == kept
    assert kept_curves(press(app, "remove_0")) == kept[1:]
    for width in (64, 65, 66):
        press(change(app, width_of_model=width), "keep_curve")
    change(app, width_of_model=67)
    assert len(kept_curves(app)) == 4  # as many as there may be
