from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from core.classroom.trained_model import TrainedModel
from tests.pages.conftest import OpenPage, press, texts, workspace_of

if TYPE_CHECKING:
    from core.storage.checkpoint import Checkpoint

PAGE = "pages/attention_maps.py"


def test_without_a_model_one_is_offered(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "There is no model yet" in app.info[0].value
    assert "Train the classroom model" in [button.label for button in app.button]


def test_a_model_without_a_translation_gets_one(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    assert "j aime tensorflow → i like tensorflow" in texts(app)
    assert "not as an explanation" in app.info[0].value


def test_it_shows_the_last_translation(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/translate.py")
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    app.switch_page(PAGE).run()
    assert "bonne nuit → good night" in texts(app)


def test_a_model_without_examples_is_no_dead_end(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("bare", dataclasses.replace(checkpoint, examples=())))
    app.switch_page(PAGE).run()
    assert not app.exception
    assert "There is no translation yet" in app.info[0].value


def test_a_new_model_is_not_shown_with_the_old_ones_translation(
    open_page_with_model: OpenPage, checkpoint: Checkpoint
) -> None:
    app = open_page_with_model("pages/translate.py")
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    mine = workspace_of(app)
    mine.open_model(TrainedModel("another", checkpoint))
    app.switch_page(PAGE).run()
    assert "j aime tensorflow → i like tensorflow" in texts(app)


def test_every_control_changes_the_page_without_error(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    for kind, said in (("encoder", "source token that gathers"), ("decoder", "the future is blank")):
        app.selectbox(key="kind").set_value(kind).run()
        assert said in texts(app)
    layer, head = app.segmented_control
    layer.set_value(1).run()
    head.set_value("mean").run()
    head.set_value("4").run()
    app.toggle(key="fixed").set_value(False).run()
    assert not app.exception


def test_an_address_of_a_larger_model(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/home.py")
    app.query_params["layer"] = "6"
    app.query_params["head"] = "8"
    app.switch_page(PAGE).run()
    assert not app.exception
    assert workspace_of(app).answer is not None
