from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from core.classroom.models import TrainedModel
from pages.attention_maps import open_head
from tests.pages.conftest import (
    ROOT,
    OpenPage,
    change,
    error_of,
    texts,
    workspace_of,
)

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = "pages/attention_maps.py"
VIEWS = ("overview", "head", "lines", "words", "facts", "compare")


def test_without_a_model_one_is_offered(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "There is no model yet" in app.info[0].value
    assert "Train the classroom model" in [button.label for button in app.button]


def test_a_model_without_examples_is_no_dead_end(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_page(PAGE, own=TrainedModel("bare", dataclasses.replace(checkpoint, examples=())))
    assert "Type a sentence" in error_of(app)


def test_a_new_model_translates_the_text_again(open_trained: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_trained(PAGE, sentence="bonne nuit")
    mine = workspace_of(app)
    mine.open_model(TrainedModel("another", checkpoint))
    assert "→ **good night**" in texts(change(app))
    answer = mine.answer
    assert answer is not None and answer.model is mine.models[-1]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_every_kind(open_trained: OpenPage, view: str) -> None:
    app = open_trained(PAGE, maps_view=view)
    for kind in ("cross", "encoder", "decoder"):
        change(app, attention=kind)
        assert app.selectbox(key="maps_view").value == view
        assert not app.warning and not app.error
    assert "not as an explanation" in texts(app)


def test_every_control_changes_the_page_without_error(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, maps_view="overview", sentence="bonne nuit")
    assert "**Rows from the top** good night" in texts(app)
    assert "**Columns from the left** bonne nuit" in texts(app)
    kinds = {"encoder": "source token (query position)", "decoder": "The future is masked"}
    for kind, said in kinds.items():
        assert said in texts(change(app, maps_view="head", attention=kind))
    change(app, attention="cross", layer=1, head="4", by_word=True, specials=False)
    for measure in ("norms", "rollout"):
        assert not change(app, measure=measure).error
    assert "1 row is hidden." in texts(app)


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "layers", "heads"),
    [
        ("o", 1, 1),
        ("que que que que", 1, 1),
        ("olá 🙂 mundo 🎓", 1, 1),
        ("שלום עולם, مرحبا", 1, 1),
        ("<script>alert(1)</script> & <b>", 1, 1),
        ("casa " * 128, 6, 8),
    ],
    ids=["one token", "repeated words", "emoji", "right to left", "markup", "128 tokens and 48 heads"],
)
def test_unusual_texts_and_shapes(open_page: OpenPage, text: str, layers: int, heads: int) -> None:
    app = open_page(PAGE, own=model_of(layers, heads), sentence=text)
    for view in VIEWS:
        assert not change(app, maps_view=view).error, view


def test_where_all_tokens_are_hidden(open_page: OpenPage) -> None:
    model = model_of(1, 1)
    weights, end_id = model.checkpoint.weights, model.checkpoint.target_tokenizer.vocabulary.end_id
    weights["decoder/final_norm/gamma"][:] = 0  # so that it ends at once, whatever it has read
    weights["decoder/final_norm/beta"][:] = weights["shared_embedding/embeddings"][end_id] = 1
    app = open_page(PAGE, own=model, sentence="casa", attention="decoder", specials=False)
    assert "All tokens are hidden" in app.info[0].value


def test_a_head_that_is_pressed_opens(open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_trained(PAGE)
    pressed: dict[str, object] = {}
    monkeypatch.setattr(
        "pages.attention_maps.set_value", lambda key, value, *title: pressed.update({key: value})
    )
    open_head("1-2")
    change(app, **pressed)
    assert (app.selectbox(key="layer").value, app.selectbox(key="head").value) == (2, "3")
    assert "Hover to read" in texts(app)


def test_the_files(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, maps_view="head", head="2", attention="encoder", specials=False)
    assert not app.get("download_button")
    assert len(change(app, take_away=True).get("download_button")) == 3
