from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.models import TrainedModel
from core.config import ModelConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.theory.model_parts import parts_of_model
from core.theory.model_size import BASE
from core.weights import parameter_count, weight_shapes
from pages.components.app.menu import ARCHITECTURE
from pages.components.architecture import step_texts
from pages.components.architecture.every_layer import layer_table
from pages.components.architecture.flows import training_flow, translation_flow
from pages.components.architecture.how_large import different_models
from pages.components.architecture.large_numbers import in_words, megabytes
from pages.components.architecture.part_texts import text_of_part
from pages.components.architecture.tensor_table import shape_text
from pages.components.architecture.word_batch import fitting, word_batch
from tests.conftest import TINY, random_weights
from tests.pages.conftest import OpenPage, press, texts, workspace_of
from tests.pages.explaining import open_address

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = ARCHITECTURE.file


def words_of(app: AppTest) -> str:
    return texts(app).replace("\N{NO-BREAK SPACE}", " ").replace("\\", "")


def look_at(app: AppTest, view: str) -> AppTest:
    app.segmented_control(key="architecture").set_value(view).run()
    assert not app.exception
    return app


def choose(app: AppTest, model: str) -> AppTest:
    app.segmented_control(key="model").set_value(model).run()
    assert not app.exception
    return app


def test_first_view(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    said = words_of(app)
    assert "**174,371 parameters** · 2 + 2 layers · width 64 · 4 heads of 16" in said
    assert "| Inside: **scores, weights** | (B, H, S, S) | (8, 4, 10, 10) |" in said
    assert "| `query_key_value/kernel` | (64, 192) | 12,288 |" in said
    # 4 * 64^2 + 4 * 64 = 16,640 in each of two layers; 33,280 of 174,371 is 19.1 %.
    assert "**16,640** parameters in one layer, **33,280** in all 2: **19.1%**" in said
    assert "def parameters_by_part" in app.code[0].value


def test_opening_a_part_and_changing_the_batch(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.selectbox(key="opened").set_value("decoder_cross_attention").run()
    assert "#### Cross-attention" in texts(app)
    for key, value in (("b", 3), ("s", 7), ("t", 5)):
        app.slider(key=key).set_value(value).run()
    assert "| Inside: **queries** | (B, H, T, K) | (3, 4, 5, 16) |" in words_of(app)
    assert "| Inside: **keys, values** | (B, H, S, K) | (3, 4, 7, 16) |" in words_of(app)
    app.selectbox(key="opened").set_value("target_words").run()
    assert "It has no parameters." in texts(app)


def test_a_part_that_another_model_lacks(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.toggle(key="m0_norm").set_value(True).run()
    app.selectbox(key="opened").set_value("decoder_final_norm").run()
    assert "#### Final norm of the decoder" in texts(app)
    choose(app, "big")
    assert "#### Self-attention" in texts(app)


def test_other_sizes(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "size")
    choose(app, "base")
    assert [each.value for each in app.metric] == ["63.1 million", "252 MB", "126 MB", "1.01 GB"]
    assert (
        "Each target token costs **127 million** operations forward and **380 million** in training"
        in texts(app)
    )
    app.number_input(key="m2_d_model").set_value(1024).run()
    app.number_input(key="m2_d_ff").set_value(4096).run()
    assert app.metric[0].value == "214 million"
    assert app.dataframe[0].value["parameters"].iloc[0] == 37_000 * 1024
    assert app.dataframe[0].value["parameters"].sum() == 214_245_376
    app.toggle(key="m2_share_embeddings").set_value(False).run()
    assert app.dataframe[0].value["parameters"].sum() == 214_245_376 + 37_000 * 1024
    app.toggle(key="m2_share_embeddings").set_value(True).run()
    app.number_input(key="m2_target_vocab_size").set_value(30_000).run()
    assert app.dataframe[0].value["parameters"].sum() == 214_245_376 - 7_000 * 1024
    choose(app, "big")
    assert app.metric[0].value == "214 million"  # with sizes of its own, which nobody has changed


def test_a_width_that_heads_cannot_share(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.number_input(key="m0_num_heads").set_value(5).run()
    assert (
        "A width of 64 is not divisible by 5 heads: each would be 12.80 numbers wide" in app.warning[0].value
    )
    assert not app.exception
    for view in ("size", "layers", "flow", "norms"):
        look_at(app, view)
    assert "What to notice" in [each.value for each in app.subheader]


def test_the_largest_model_of_all(open_page: OpenPage) -> None:
    app = choose(open_page(PAGE), "big")
    for key, value in (
        ("num_layers", 24), ("d_model", 4096), ("num_heads", 128), ("d_ff", 16384),
        ("target_vocab_size", 1_000_000),
    ):  # fmt: skip
        app.number_input(key=f"m3_{key}").set_value(value).run()
    for view in ("size", "layers", "flow", "picture"):
        look_at(app, view)
    assert "15.4 billion parameters" in texts(app)


def test_every_layer(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "layers")
    shapes = weight_shapes(CLASSROOM.model)
    frame = app.dataframe[0].value
    assert list(frame["weight"]) == list(shapes)
    assert frame["parameters"].sum() == 174_371
    assert f"**{len(shapes)}** weights with **174,371** parameters" in texts(app)


@pytest.mark.parametrize("config", [TINY.replace(norm="pre", positional_encoding="learned"), BASE])
def test_the_table_has_every_weight_once(config: ModelConfig) -> None:
    frame = layer_table(config)
    assert list(frame["weight"]) == list(weight_shapes(config))
    assert frame["parameters"].sum() == parameter_count(config)
    assert frame["share"].sum() == pytest.approx(1)
    shapes = dict(zip(frame["weight"], frame["shape"], strict=True))
    assert shapes["encoder/layer_0/feed_forward/inner/kernel"] == f"({config.d_model}, {config.d_ff})"
    assert shapes["encoder/layer_0/feed_forward/inner/bias"] == f"({config.d_ff})"


def test_norms(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "norms")
    assert (
        "Through 12 untrained layers, post-norm keeps the root mean square of a vector at **1.00**"
        in texts(app)
    )
    app.slider(key="depth").set_value(1).run()
    assert "Through 1 untrained layer, " in texts(app)
    assert "def pre_norm" in app.code[1].value


def test_a_training_step_is_walked_through(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "flow")
    assert "#### 1. A batch of pairs" in texts(app)
    assert "bonjour] :gray-badge[[PAD]] :gray-badge[[PAD]]" in words_of(app)
    press(app, "Next step")
    assert app.slider(key="training_step").value == 2
    app.slider(key="training_step").set_value(6).run()
    assert "| Output: **logits** | (B, T, V) | (2, 5, 35) |" in words_of(app)
    choose(app, "base")
    assert "(2, 5, 37000)" in words_of(app)
    app.multiselect(key="pairs").set_value([]).run()
    assert "A batch has at least one pair" in texts(app)
    assert "(1, 2, 37000)" in words_of(app)  # bonjour


def test_a_translation_is_walked_through(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "flow")
    app.segmented_control(key="what").set_value("translating").run()
    app.slider(key="writing_step").set_value(14).run()
    assert "#### 14. It writes “[END]”" in texts(app)
    app.selectbox(key="translated").set_value(0).run()
    assert app.slider(key="writing_step").value == 8  # its last step
    press(app, "Previous step")
    assert "#### 7. The decoder reads “hello”" in texts(app)


def test_the_current_model_of_any_config(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    config = checkpoint.config.replace(
        norm="pre", positional_encoding="learned", num_layers=3, max_source_length=1, max_target_length=2
    )
    mine = dataclasses.replace(checkpoint, config=config, weights=random_weights(config))
    app = open_page(PAGE)
    workspace_of(app).open_model(TrainedModel("*Mine*", mine))
    app.run()
    choose(app, "current")
    assert f"*Mine*** · **{parameter_count(config):,} parameters** · 3 + 3 layers" in words_of(app)
    for view in ("size", "layers", "norms", "flow"):
        look_at(app, view)
    assert app.multiselect(key="pairs").options == ["bonjour → hello"]  # all that it is long enough for
    assert "decoder input, labels** | (B, T) | (1, 2) |" in words_of(app)


def test_the_shipped_model(open_page: OpenPage, with_shipped: None) -> None:
    app = choose(look_at(open_page(PAGE), "size"), "current")
    assert [each.value for each in app.metric][:3] == ["7.58 million", "30.3 MB", "15.2 MB"]


def test_equal_models_have_one_bar() -> None:
    models = {"Small": TINY, "Base": BASE, "Current model": TINY}
    assert different_models(models, BASE) == {TINY: "Small", BASE: "Base (this model)"}
    assert different_models(models, TINY) == {TINY: "Small (this model)", BASE: "Base"}
    other = TINY.replace(d_ff=32)
    assert list(different_models(models, other).items()) == [
        (other, "This model"),
        (TINY, "Small"),
        (BASE, "Base"),
    ]


@pytest.mark.parametrize("config", [TINY, TINY.replace(norm="pre")])
def test_something_is_said_of_every_part(config: ModelConfig) -> None:
    said = {part.key: text_of_part(part, config).does for part in parts_of_model(config)}
    assert all(said.values())
    assert ("Only the sublayer reads it" in said["encoder_self_attention_norm"]) == (config.norm == "pre")


def test_what_is_said_of_steps() -> None:
    batch = word_batch([PAIRS[7], PAIRS[0]], CLASSROOM.model)
    training = [step_texts.text_of(step) for step in training_flow(TINY, batch, 1)]
    assert "each of the 7 real labels" in training[6]
    assert "2 layers" in training[2] and "All 5 positions" in training[3]
    assert "through 1 layer." in step_texts.text_of(training_flow(TINY.replace(num_layers=1), batch, 1)[2])
    steps = translation_flow(TINY, ("merci",), ("[START]", "thank", "you"), ("thank", "you", "[END]"))
    assert [step_texts.title_of(step) for step in steps[3:]] == [
        "Keys and values, once",
        "The decoder reads “[START]”",
        "It writes “thank”",
        "The decoder reads “thank”",
        "It writes “you”",
        "The decoder reads “you”",
        "It writes “[END]”",
    ]
    said = [step_texts.text_of(step) for step in steps]
    assert "only the start token" in said[4]
    assert "Keys and values of the start token are kept" in said[6]
    assert "Keys and values of the 2 before it are kept" in said[8]
    assert "finished" in said[9] and "finished" not in said[7]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"opened": "encoder_feed_forward", "b": "2", "s": "3"}, "(B, S, F) | (2, 3, 128)"),
        ({"model": "base", "m2_num_layers": "1"}, "1 + 1 layers · width 512"),
        (
            {
                "architecture": "flow",
                "what": "translating",
                "writing_step": "6",
            },
            "#### 6. It writes “i”",
        ),
        ({"opened": "nonsense", "b": "-1", "s": "1e9", "model": "x"}, "(1, 4, 10, 10)"),
        ({"m0_num_layers": "1e309", "m0_norm": "x", "b": "1e309"}, "(8, 4, 10, 10)"),
        ({"m0_d_model": "0"}, "A width of 1 is not divisible by 4 heads"),
        (
            {"architecture": "flow", "pairs": "?", "training_step": "99"},
            "#### 9. Adam updates the weights",
        ),
    ],
)
def test_an_address_opens_its_view(open_page: OpenPage, address: dict[str, str], said: str) -> None:
    assert said in words_of(open_address(open_page, PAGE, address))


def test_words_come_from_the_pipeline() -> None:
    batch = word_batch([PAIRS[7], PAIRS[0]], CLASSROOM.model)
    assert batch.sources == (("je", "ne", "comprends", "pas"), ("bonjour", "[PAD]", "[PAD]", "[PAD]"))
    assert batch.inputs[0] == ("[START]", "i", "do", "not", "understand")
    assert batch.labels == (
        ("i", "do", "not", "understand", "[END]"),
        ("hello", "[END]", "[PAD]", "[PAD]", "[PAD]"),
    )
    # Four words and the start sign are five positions of the decoder.
    assert fitting(PAIRS[7], CLASSROOM.model.replace(max_source_length=4, max_target_length=5))
    assert not fitting(PAIRS[7], CLASSROOM.model.replace(max_target_length=4))
    assert not fitting(PAIRS[7], CLASSROOM.model.replace(max_source_length=3))


def test_large_numbers_in_words() -> None:
    assert [in_words(n) for n in (0, 174_371, 63_082_496, 1.266e9, 2e12)] == [
        "0",
        "174,371",
        "63.1 million",
        "1.27 billion",
        "2.00 trillion",
    ]
    assert [megabytes(n) for n in (697_484, 15_157_248, 252_329_984, 1_009_319_936)] == [
        "0.697 MB",
        "15.2 MB",
        "252 MB",
        "1.01 GB",
    ]
    # Rounded to three figures first: then the unit and the places are chosen.
    assert [in_words(n) for n in (999_999_999, 9_996_000, 999_499_999, 999_499)] == [
        "1.00 billion",
        "10.0 million",
        "999 million",
        "999,499",
    ]
    assert [megabytes(n) for n in (999_999_999, 9_996_000, 99_960_000)] == ["1.00 GB", "10.0 MB", "100 MB"]
    assert shape_text((8, 1024)) == "(8,\N{NO-BREAK SPACE}1024)"
