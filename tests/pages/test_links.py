"""What an address of a working page says, and what a reload keeps."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.models import OWN_MODEL
from core.classroom.settings import server_settings
from tests.pages.conftest import ROOT, OpenPage, press, texts, workspace_of

TRANSLATE = "pages/translate.py"
ATTENTION = "pages/attention_maps.py"
TRAIN = "pages/train.py"
EVALUATE = "pages/evaluate.py"
DATA = "pages/data.py"


def follow(app: AppTest, page: str, address: dict[str, str]) -> AppTest:
    """Open a page by a link."""
    app.query_params.clear()
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(page).run()
    assert not app.exception
    return app


def value_of(app: AppTest, kind: str, key: str) -> object:
    widgets: Any = app.get(kind)
    return next(widget.value for widget in widgets if widget.key == key)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "address", "kind", "key", "value"),
    [
        (TRANSLATE, {"mode": "lines"}, "button_group", "mode", "lines"),
        (TRANSLATE, {"search": "beam", "beams": "5"}, "slider", "beams", 5),
        (TRANSLATE, {"search": "beam", "penalty": "0.8"}, "slider", "penalty", 0.8),
        (TRANSLATE, {"sentence": "bonne nuit"}, "text_input", "sentence", "bonne nuit"),
        (TRANSLATE, {"mode": "lines", "lines": "merci\nbonjour"}, "text_area", "lines", "merci\nbonjour"),
        (ATTENTION, {"kind": "encoder"}, "selectbox", "kind", "encoder"),
        (ATTENTION, {"view": "head", "layer": "1"}, "selectbox", "layer", 1),
        (ATTENTION, {"view": "head", "head": "3"}, "selectbox", "head", "3"),
        (ATTENTION, {"specials": "0"}, "toggle", "specials", False),
        (TRAIN, {"preset": "smallest"}, "number_input", "setting_d_model", 32),
        (TRAIN, {"preset": "smallest", "d_model": "48"}, "number_input", "setting_d_model", 48),
        (TRAIN, {"norm": "pre"}, "selectbox", "setting_norm", "pre"),
        (TRAIN, {"tie_embeddings": "1"}, "toggle", "setting_tie_embeddings", True),
        (EVALUATE, {"size": "50"}, "select_slider", "evaluation_size_", 50),
        (DATA, {"corpus": "toy"}, "selectbox", "data_corpus", "toy"),
        (DATA, {"corpus": "toy", "search": "nuit"}, "text_input", "data_search", "nuit"),
    ],
)  # fmt: skip
def test_an_address_says_what_the_page_shows(
    open_page_with_model: OpenPage, page: str, address: dict[str, str], kind: str, key: str, value: object
) -> None:
    app = follow(open_page_with_model("pages/home.py"), page, address)
    assert value_of(app, kind, key) == value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "address", "kind", "key", "value"),
    [
        (TRANSLATE, {"search": "beam", "beams": "1e309"}, "slider", "beams", 4),
        (TRANSLATE, {"search": "beam", "penalty": "1e309"}, "slider", "penalty", 0.6),
        (TRAIN, {"learning_rate": "1e309"}, "number_input", "setting_learning_rate", 0.001),
        (TRAIN, {"d_model": "1e309"}, "number_input", "setting_d_model", 64),
        (TRAIN, {"epochs": "9" * 5000}, "number_input", "setting_epochs", server_settings().max_epochs),
        (DATA, {"corpus": "toy", "page": "nan"}, "number_input", "data_page_toy_train_", 1),
    ],
)  # fmt: skip
def test_numbers_that_make_no_sense(
    open_page_with_model: OpenPage, page: str, address: dict[str, str], kind: str, key: str, value: object
) -> None:
    app = follow(open_page_with_model("pages/home.py"), page, address)
    assert value_of(app, kind, key) == value


def test_a_link_to_a_model_that_is_not_here(open_page_with_model: OpenPage) -> None:
    app = follow(open_page_with_model("pages/home.py"), TRANSLATE, {"model": "no_such_model"})
    (warning,) = app.warning
    assert "does not have: model “no\\_such\\_model”" in warning.value
    assert app.selectbox(key="model_choice").value == workspace_of(app).models[0].id


def test_a_link_to_somebody_elses_own_model(open_page_with_model: OpenPage) -> None:
    app = follow(open_page_with_model("pages/home.py"), TRANSLATE, {"model": f"{OWN_MODEL}0123456789ab"})
    (warning,) = app.warning
    assert "exists only in the tab where it was trained or opened" in warning.value


@pytest.mark.slow
def test_an_address_names_the_default_model_too(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page("pages/translate.py")
    assert app.query_params["model"] == "ted_pt_en", "which another visit may not have as its default"


def test_a_link_to_a_shipped_model(open_page_with_model: OpenPage, with_shipped: None) -> None:
    app = follow(open_page_with_model("pages/home.py"), ATTENTION, {"model": "ted_pt_en"})
    model = workspace_of(app).model
    assert model is not None and model.id == "ted_pt_en"
    app.selectbox(key="model_choice").set_value(workspace_of(app).models[0].id).run()
    assert workspace_of(app).model is workspace_of(app).models[0]


@pytest.mark.slow
def test_a_reload_loses_nothing(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(TRAIN)
    app.segmented_control(key="setting_preset").set_value("smallest").run()
    app.number_input(key="setting_dropout_rate").set_value(0.3).run()
    app.switch_page(EVALUATE).run()
    app.select_slider(key="evaluation_size_").set_value(50).run()
    app.switch_page(TRANSLATE).run()
    app.segmented_control(key="search").set_value("beam").run()
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")

    reloaded = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    reloaded.session_state["workspace"] = workspace_of(app)
    reloaded.run()
    reloaded.switch_page(TRANSLATE).run()
    assert reloaded.segmented_control(key="search").value == "beam"
    assert reloaded.text_input(key="sentence").value == "bonne nuit"
    assert "good night" in reloaded.subheader[0].value
    reloaded.switch_page(TRAIN).run()
    assert value_of(reloaded, "number_input", "setting_d_model") == 32
    assert value_of(reloaded, "number_input", "setting_dropout_rate") == 0.3
    reloaded.switch_page(EVALUATE).run()
    assert value_of(reloaded, "select_slider", "evaluation_size_") == 50


def test_training_settings_stand_in_the_address(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(TRAIN)
    app.segmented_control(key="setting_preset").set_value("smallest").run()
    assert dict(app.query_params) == {"preset": "smallest"}
    app.number_input(key="setting_d_model").set_value(48).run()
    assert dict(app.query_params) == {"preset": "smallest", "d_model": "48"}
    press(app, "Back to the preset")
    assert dict(app.query_params) == {"preset": "smallest"}


def test_leaving_the_text_box_runs_nothing(open_page_with_model: OpenPage) -> None:
    """AppTest keeps what is typed in a form until it is sent, as browsers do."""
    app = open_page_with_model(TRANSLATE)
    before = workspace_of(app).answer
    app.text_input(key="sentence").set_value("bonne nuit").run()
    assert workspace_of(app).answer is before
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    assert app.subheader[0].value == "good night"


@pytest.mark.parametrize(
    ("page", "address", "asked"),
    [
        ("pages/masks.py", {"lesson": "foo"}, "lesson “foo”"),
        ("pages/masks.py", {"masks": "nonsense", "lesson": "30"}, "masks “nonsense”"),
        ("pages/text_as_numbers.py", {"present": "perhaps"}, "present “perhaps”"),
        (ATTENTION, {"sentence": "merci", "view": "head", "head": "99"}, "head “99”"),
        (TRAIN, {"norm": "sideways", "seed": "x"}, "norm “sideways”, seed “x”"),
        (TRANSLATE, {"sentence": "", "model": "foo"}, "model “foo”"),  # a page that ends early
    ],
)
def test_what_a_link_asks_in_vain_is_said(
    open_page_with_model: OpenPage, page: str, address: dict[str, str], asked: str
) -> None:
    app = follow(open_page_with_model("pages/home.py"), page, address)
    (warning,) = [each.value for each in app.warning if "The link asks for" in each.value]
    assert asked in warning.replace("\\", "")
    app.run()
    assert not [each for each in app.warning if "The link asks for" in each.value]


@pytest.mark.slow
def test_a_text_too_long_for_an_address_is_said_to_be_missing(
    open_page: OpenPage, with_shipped: None
) -> None:
    app = follow(open_page(TRANSLATE), TRANSLATE, {"mode": "lines", "lines": "olá"})
    lacking = "A link to this view leaves this text out: it has room for 2,000 characters"
    assert lacking not in texts(app)
    app.text_area(key="lines").set_value("… " * 1200)  # nothing to translate
    press(app, "Translate all lines")
    assert lacking in texts(app) and "lines" not in app.query_params
    app.text_area(key="lines").set_value("…")
    press(app, "Translate all lines")
    assert lacking not in texts(app) and "lines" in app.query_params
