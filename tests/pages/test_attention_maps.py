from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.models import TrainedModel
from tests.pages.conftest import ROOT, OpenPage, error_of, press, texts, wait_for_training, workspace_of

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = "pages/attention_maps.py"


def test_without_a_model_one_is_offered(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "There is no model yet" in app.info[0].value
    assert "Train the classroom model" in [button.label for button in app.button]


def test_a_model_without_a_translation_gets_one(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    assert "→ **i like tensorflow**" in texts(app)
    assert "not as an explanation" in texts(app)


def test_it_shows_the_last_translation(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/translate.py")
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    app.switch_page(PAGE).run()
    assert app.text_input(key="sentence").value == "bonne nuit"
    assert "→ **good night**" in texts(app)


def test_a_model_without_examples_is_no_dead_end(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("bare", dataclasses.replace(checkpoint, examples=())))
    app.switch_page(PAGE).run()
    assert not app.exception
    assert "Type a sentence" in error_of(app)


def test_a_new_model_translates_the_text_again(
    open_page_with_model: OpenPage, checkpoint: Checkpoint
) -> None:
    app = open_page_with_model("pages/translate.py")
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    mine = workspace_of(app)
    mine.open_model(TrainedModel("another", checkpoint))
    app.query_params.clear()  # as the menu does
    app.switch_page(PAGE).run()
    assert "→ **good night**" in texts(app)
    answer = mine.answer
    assert answer is not None and answer.model is mine.models[-1]


VIEWS = ("overview", "head", "lines", "words", "facts", "compare")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", ["cross", "encoder", "decoder"])
def test_every_view_of_every_kind(open_page_with_model: OpenPage, view: str, kind: str) -> None:
    app = opened_at(open_page_with_model, view=view, kind=kind)
    assert app.selectbox(key="map_view").value == view
    assert not app.warning
    assert not app.error


def test_the_overview_names_its_tokens(open_page_with_model: OpenPage) -> None:
    app = opened_at(open_page_with_model, view="overview", sentence="bonne nuit")
    assert "**Rows from the top** good night" in texts(app)
    assert "**Columns from the left** bonne nuit" in texts(app)


def test_every_control_changes_the_page_without_error(open_page_with_model: OpenPage) -> None:
    app = opened_at(open_page_with_model, view="head")
    for kind, said in (("encoder", "source token (query position)"), ("decoder", "The future is masked")):
        app.selectbox(key="kind").set_value(kind).run()
        assert said in texts(app)
    app.selectbox(key="kind").set_value("cross").run()
    app.selectbox(key="layer").set_value(1).run()
    for head in ("mean", "4"):
        app.selectbox(key="head").set_value(head).run()
    for name in ("by_word", "specials"):
        switch = app.toggle(key=name)
        switch.set_value(not switch.value).run()
        assert not app.exception
    for measure in ("norms", "rollout"):
        app.segmented_control(key="measure").set_value(measure).run()
        assert not app.exception and not app.error
    assert "1 row is hidden." in texts(app)


def opened_at(open_page: OpenPage, **address: str) -> AppTest:
    app = open_page("pages/home.py")
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"view": "foo"}, "view “foo”"),
        ({"view": "head", "head": "99"}, "head “99”"),
        ({"view": "head", "layer": "99"}, "layer “99”"),
        ({"view": "head", "kind": "<b>"}, "kind “\\<b\\>”"),
    ],
)
def test_a_stale_link_is_told_and_changes_nothing_else(
    open_page_with_model: OpenPage, address: dict[str, str], said: str
) -> None:
    app = opened_at(open_page_with_model, sentence="bonne nuit", **address)
    assert said in app.warning[0].value
    assert "→ **good night**" in texts(app)
    app.run()
    assert not app.warning  # once


def test_an_address_of_a_larger_model(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/home.py")
    app.query_params["layer"] = "6"
    app.query_params["head"] = "8"
    app.switch_page(PAGE).run()
    assert not app.exception
    assert workspace_of(app).answer is not None


@pytest.mark.slow
def test_the_film_of_a_training(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    app.query_params["preset"] = "smallest"
    app.switch_page("pages/train.py").run()
    press(app, "Start")
    wait_for_training(app)
    app.query_params.clear()
    app.query_params["view"] = "film"
    app.switch_page(PAGE).run()
    assert not app.exception and not app.warning
    assert app.selectbox(key="map_view").value == "film"
    assert "moments of 5 sentences are kept" in texts(app)
    first = workspace_of(app).models[-1]
    workspace_of(app).open_model(TrainedModel("opened", first.checkpoint))
    app.run()
    assert "film" not in app.selectbox(key="map_view").options
    assert not app.exception


def model_of(layers: int, heads: int) -> TrainedModel:
    """An untrained subword model that reads 128 tokens and any character."""
    from core.checkpoints.checkpoint import Checkpoint
    from core.weights import initial_weights

    shipped = Checkpoint.load(ROOT / "core" / "pretrained" / "ted_pt_en")
    config = shipped.config.replace(
        num_layers=layers, num_heads=heads, d_model=16, d_ff=16, max_source_length=130, max_target_length=130
    )
    changed = dataclasses.replace(
        shipped, config=config, weights=initial_weights(config, seed=0), examples=()
    )
    return TrainedModel(f"{layers} x {heads}", changed)


TEXTS = {
    "one token": "o",
    "128 tokens": "casa " * 128,
    "repeated words": "que que que que",
    "emoji": "olá 🙂 mundo 🎓",
    "right to left": "שלום עולם, مرحبا",
    "markup": "<script>alert(1)</script> & <b>",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "layers", "heads"),
    [*((text, 1, 1) for text in TEXTS.values()), (TEXTS["128 tokens"], 6, 8)],
    ids=[*TEXTS, "48 heads"],
)
def test_unusual_texts_and_shapes(open_page: OpenPage, text: str, layers: int, heads: int) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(model_of(layers, heads))
    app.query_params["sentence"] = text
    app.switch_page(PAGE).run()
    for view in VIEWS:
        app.selectbox(key="map_view").set_value(view).run()
        assert not app.exception
        assert not app.error, (view, app.error)


@pytest.mark.slow
def test_where_all_tokens_are_hidden(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    model = model_of(1, 1)
    weights, end_id = model.checkpoint.weights, model.checkpoint.target_tokenizer.vocabulary.end_id
    weights["decoder/final_norm/gamma"][:] = 0  # so that it ends at once, whatever it has read
    weights["decoder/final_norm/beta"][:] = weights["shared_embedding/embeddings"][end_id] = 1
    workspace_of(app).open_model(model)
    for name, value in {"sentence": "casa", "kind": "decoder", "specials": "0"}.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    assert "All tokens are hidden" in app.info[0].value


def test_a_head_that_is_pressed_opens(
    open_page_with_model: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened_at(open_page_with_model)
    assert app.selectbox(key="map_view").value == "overview"
    from pages.components.attention_maps import map_choice

    set_values: dict[str, object] = {}
    monkeypatch.setattr(map_choice, "set_value", set_values.__setitem__)
    map_choice.open_head("1-2")
    assert set_values == {"layer": 2, "head": "3", "map_view": "head"}
    for key, value in set_values.items():
        app.selectbox(key=key) if key == "map_view" else None
        app.session_state[key] = value
    app.run()
    assert app.selectbox(key="head").value == "3"
    assert "Hover to read" in texts(app)


def test_the_files(open_page_with_model: OpenPage) -> None:
    app = opened_at(open_page_with_model, view="head", head="2", kind="encoder", specials="0")
    assert not app.get("download_button")
    app.session_state["take_away"] = True
    app.run()
    assert len(app.get("download_button")) == 3
