import dataclasses
import json
import tomllib
from typing import Any

import numpy as np
import pytest
import streamlit as st

from core.checkpoints.checkpoint import Checkpoint
from core.figures.browser.attention_stage import stage_kind
from core.figures.html.number_tables import number_text
from core.figures.plotly.attention import Screen, attention_figure
from core.interpretability.attention_view import AttentionOptions, read_attention
from core.interpretability.head_numbers import head_numbers
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.language import quoted
from core.records.attention import ATTENTION_KINDS, Head
from core.server.trained_model import TrainedModel
from core.tokens.vocabulary import END_ID
from pages import attention_maps
from tests.conftest import numbers
from tests.figures.records import even_record
from tests.pages.conftest import (
    ROOT,
    OpenPage,
    change,
    keys_of,
    linked,
    open_page,
    press,
    texts,
    translation_of,
    workspace_of,
)

PAGE = "pages/attention_maps.py"
VIEWS = ("heat", "words", "facts")


def test_a_model_without_examples_is_no_dead_end(checkpoint: Checkpoint) -> None:
    app = open_page(PAGE, own=TrainedModel("bare", dataclasses.replace(checkpoint, examples=())))
    assert app.error


def test_a_new_model_translates_the_text_again(open_trained: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_trained(PAGE, sentence="bonne nuit")
    mine = workspace_of(app)
    mine.models.open(TrainedModel("another", checkpoint))
    assert "→ **good night**" in texts(change(app))
    assert translation_of(app).work.request.model is mine.models.kept[-1]


def test_every_control_changes_the_page_without_error(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, maps_view="words", sentence="bonne nuit", attention="decoder")
    for measure in ("norms", "rollout", "weights"):
        assert not change(app, measure=measure, by_word=measure == "norms", specials=measure != "norms").error
    captions = {each.value for each in app.caption}
    app = change(app, maps_view="facts")
    assert app.selectbox(key="facts_of").value == "encoder"
    for kind in ("cross", "decoder"):
        assert not change(app, facts_of=kind).error
    assert captions & {each.value for each in app.caption}, "how to read a map"


def test_the_heads_have_no_names_while_a_class_looks_for_one(
    open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []

    def keep(data: Any) -> None:
        drawn.append({role for kind in data["kinds"].values() for layer in kind["roles"] for role in layer})

    monkeypatch.setattr(attention_maps, "show_stage", keep)
    open_trained(PAGE, sentence="je suis fatigué", head_names=False, maps_view="words")
    open_trained(PAGE, sentence="je suis fatigué", maps_view="words")
    assert drawn[0] == {""} and len(drawn[-1]) > 1


LINKS = [
    {"heads": "1.3", "attention": "decoder"},
    {"look": "lines", "attention": "decoder", "heads": "1.3", "word": "row.2"},
    {"look": "compare", "heads": "2.3 1.3"},
]


@pytest.mark.parametrize("link", LINKS, ids=["heads", "lines", "compare"])
def test_a_link_opens_its_heads_look_and_word(
    with_shipped: None, stage: list[Any], link: dict[str, str]
) -> None:
    """How they come into the address: tests/browser/test_look_inside.py."""
    app = linked(PAGE, maps_view="words", **link)
    assert stage[-1]["state"] == {"attention": "cross", "heads": "", "look": "lines", "word": ""} | link
    assert app.segmented_control(key="maps_view").value == "words"


def test_a_link_to_a_map_shows_it(with_shipped: None, heat: list[Any]) -> None:
    linked(PAGE, attention="decoder", heads="1.3", word="column.2")
    figure = heat[-1]
    assert numbers(head_of(figure)) == ["1", "3"]
    assert (0.5, 1.5) in [(shape["x0"], shape["x1"]) for shape in figure["layout"]["shapes"]]


def head_of(figure: Any) -> str:
    return str(figure["layout"]["annotations"][0]["text"]).removeprefix("<b>").removesuffix("</b>")


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is drawn as linked words."""
    drawn: list[Any] = []
    monkeypatch.setattr(
        "pages.components.attention.stage.draw_figure",
        lambda *arguments, **named: drawn.append(arguments[2]),
    )
    return drawn


@pytest.fixture
def heat(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is drawn as heat maps, with a button for each of some places that can be clicked."""
    drawn: list[Any] = []

    def keep(figure: Any, alt: str, key: str, on_click: Any) -> None:
        drawn.append(figure)
        for place in ("head 1.1", "head 2.mean", "cell 2.1"):
            st.button(place, on_click=on_click, args=(place,), key=place)

    monkeypatch.setattr("pages.components.attention.heat_maps.show_figure", keep)
    return drawn


def test_a_head_is_chosen_by_click_and_by_menu(with_shipped: None, heat: list[Any]) -> None:
    app = linked(PAGE)
    first = head_of(heat[-1])
    press(app, "head 1.1")
    assert numbers(head_of(heat[-1])) == ["1", "1"] and app.query_params["heads"] == "1.1"
    app.selectbox(key="heads_choice").select("2.mean").run()
    assert numbers(head_of(heat[-1])) == ["2"] and app.query_params["heads"] == "2.mean"
    app.selectbox(key="heads_choice").select("2.3").run()
    assert head_of(heat[-1]) == first and "heads" not in app.query_params


@pytest.mark.slow
def test_a_clicked_cell_is_kept_until_it_is_of_another_head(with_shipped: None, heat: list[Any]) -> None:
    app = press(linked(PAGE), "cell 2.1")
    assert app.query_params["cell"] == "2.1" and "by_hand" in keys_of(app)
    press(app, "cell 2.1")  # lets go of it
    assert "cell" not in app.query_params and "by_hand" not in keys_of(app)
    press(app, "cell 2.1")
    press(app, "head 1.1")
    assert "cell" not in app.query_params
    press(app, "cell 2.1")
    change(app, sentence="obrigado")
    assert "cell" not in app.query_params


@pytest.mark.slow
def test_a_link_to_a_cell_marks_it_if_there_is_one(with_shipped: None, heat: list[Any]) -> None:
    frame = (-0.5, 0.5, 0.5, 1.5)
    for cell, is_marked in (("2.1", True), ("99.1", False), ("x", False), ("0.0", False)):
        linked(PAGE, cell=cell)
        shapes = [
            tuple(shape[end] for end in ("x0", "x1", "y0", "y1")) for shape in heat[-1]["layout"]["shapes"]
        ]
        assert (frame in shapes) == is_marked
        assert len(shapes) == 1 + is_marked


def test_kind_word_and_size_are_chosen_and_kept_in_the_address(with_shipped: None, heat: list[Any]) -> None:
    app = linked(PAGE, heads="1.1")
    app.selectbox(key="word_choice").select("row.2").run()
    assert app.query_params["word"] == "row.2"
    app.button_group(key="attention_choice").set_value("decoder").run()
    assert app.query_params["attention"] == "decoder"
    assert not {"heads", "word"} & set(app.query_params)
    app.toggle(key="maps_size").set_value(True).run()
    assert app.query_params["enlarged"] == "on" and "xaxis2" not in heat[-1]["layout"]


def test_a_long_sentence_opens_enlarged(with_shipped: None, heat: list[Any]) -> None:
    app = linked(PAGE, sentence="este é um problema que temos " * 6)
    assert app.toggle(key="maps_size").value and "xaxis2" not in heat[-1]["layout"]
    change(app, sentence="casa")
    assert "xaxis2" in heat[-1]["layout"]


def model_of(layers: int, heads: int) -> TrainedModel:
    """Return an untrained subword model that reads 128 tokens and any character."""
    from core.weights import initial_weights

    shipped = Checkpoint.load(ROOT / "core" / "pretrained" / "ted_pt_en.safetensors")
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
        ("casa " * 128, 6, 8),
    ],
    ids=["one token", "repeated words", "emoji", "right to left", "128 tokens and 48 heads"],
)
def test_unusual_texts_and_shapes(text: str, layers: int, heads: int) -> None:
    app = open_page(PAGE, own=model_of(layers, heads), sentence=text)
    for view in VIEWS:
        assert not change(app, maps_view=view).error, view


@pytest.mark.slow
def test_the_longest_sentence_of_a_shipped_model_fits_in_a_message() -> None:
    config = Checkpoint.load(ROOT / "core" / "pretrained" / "ted_pt_en.safetensors").config
    record = even_record(config.max_source_length, config.max_target_length, config.num_heads)
    layers: dict[str, Any] = {
        kind: np.repeat(getattr(record, kind), config.num_layers, axis=0) for kind in ATTENTION_KINDS
    }
    maps = read_attention(dataclasses.replace(record, **layers), AttentionOptions())["cross"]
    figure = attention_figure(maps, maps.first, "", Screen(780))
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    most = settings["server"]["maxMessageSize"] * 10**6
    assert max(len(json.dumps(stage_kind(maps))), len(json.dumps(figure))) < most


def test_where_all_tokens_are_hidden() -> None:
    model = model_of(1, 1)
    weights, end_id = model.checkpoint.weights, END_ID
    weights["decoder/final_norm/gamma"][:] = 0  # so that it ends at once for any input
    weights["decoder/final_norm/beta"][:] = weights["shared_embedding/embeddings"][end_id] = 1
    assert not open_page(PAGE, own=model, sentence="casa", attention="decoder", specials=False).error


@pytest.mark.slow
def test_a_cell_shows_how_its_weight_came_about_and_takes_its_numbers_along(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, sentence="je suis fatigué", cell="3.2", heads="2.3")
    explained = translation_of(app).work.explain(0)
    record = explained.attention.of_kind("cross")
    weight = number_text(float(record.weights[1, 2, 2, 1]))
    (said,) = (each.value for each in app.markdown if f"**{weight}**" in each.value)
    assert f"**{record.rows[2]}**" in said and f"**{record.columns[1]}**" in said
    assert quoted(explained.attention.decoder_input_tokens[2]) in said, "which has just been read"
    app = app.selectbox(key="origin_row").select(0).run()
    assert app.query_params["cell"] == "1.2"
    # Attention by hand has the tokens, those with the largest weights in the order of the sentence.
    press(app, "by_hand")
    row, *columns = app.session_state["row_tokens"]
    assert row == record.rows[0] and columns == list(record.columns)
    translator = workspace_of(app).models.kept[-1].translator
    pair = ForcedPair.of_translation(translator, explained.translation)
    steps = head_numbers(Tracer(translator), pair, Head("cross", 1, 2)).steps
    vectors = {"row_query": steps.queries[:1], "row_keys": steps.keys, "row_values": steps.values}
    for key, expected in vectors.items():
        taken = app.session_state[key][: len(expected)]
        assert np.array(taken) == pytest.approx(expected[:, :4].round(2), abs=0.011), key
    future = open_trained(PAGE, sentence="je suis fatigué", attention="decoder", heads="1.1", cell="1.2")
    assert f"**{number_text(0.0)}**" in texts(future)
    assert not any(change(app, cell=place).error for place in ("9.9", "x", "0.0"))


def test_a_mean_has_no_arithmetic_of_its_own(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, sentence="je suis fatigué", cell="1.1", heads="1.mean")
    assert app.info and "by_hand" not in keys_of(app)
    assert "by_hand" in keys_of(change(change(app, heads="1.1"), cell="1.1"))
