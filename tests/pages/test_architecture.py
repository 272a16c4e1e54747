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
from pages import architecture
from pages.components.menu import ARCHITECTURE
from tests.conftest import TINY, random_weights
from tests.pages.conftest import OpenPage, change, press, texts

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = ARCHITECTURE.file
VIEWS = ("picture", "size", "layers", "norms", "flow")


def words_of(app: AppTest) -> str:
    return texts(app).replace("\N{NO-BREAK SPACE}", " ").replace("\\", "")


def test_a_part_is_opened_with_its_tensors_and_weights(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    said = words_of(app)
    assert "**174,371 parameters** · 2 + 2 layers · width 64 · 4 heads of 16" in said
    assert "| Inside: **scores, weights** | (B, H, S, S) | (8, 4, 10, 10) |" in said
    assert "| `query_key_value/kernel` | (64, 192) | 12,288 |" in said
    # 4 * 64^2 + 4 * 64 = 16,640 in each of two layers; 33,280 of 174,371 is 19.1 %.
    assert "**16,640** parameters in one layer, **33,280** in all 2: **19.1%**" in said
    change(app, opened="decoder_cross_attention", batch_size=3, source_tokens=7, target_tokens=5)
    assert "| Inside: **queries** | (B, H, T, K) | (3, 4, 5, 16) |" in words_of(app)
    assert "| Inside: **keys, values** | (B, H, S, K) | (3, 4, 7, 16) |" in words_of(app)
    change(app, opened="target_words")
    assert "It has no parameters." in texts(app)


def test_a_part_that_another_model_lacks(open_page: OpenPage) -> None:
    app = open_page(PAGE, m0_norm=True)
    change(app, opened="decoder_final_norm")
    assert "#### Final norm of the decoder" in texts(app)
    change(app, shown_model="big")
    assert "#### Self-attention" in texts(app)


def test_other_sizes(open_page: OpenPage) -> None:
    app = open_page(PAGE, architecture_view="size", shown_model="base")
    assert [each.value for each in app.metric] == ["63.1 million", "252 MB", "126 MB", "1.01 GB"]
    assert "costs **127 million** operations forward and **380 million** in training" in texts(app)

    def parameters() -> int:
        return int(app.dataframe[0].value["parameters"].sum())

    change(app, m2_d_model=1024, m2_d_ff=4096)
    assert app.metric[0].value == "214 million"
    assert app.dataframe[0].value["parameters"].iloc[0] == 37_000 * 1024
    assert parameters() == 214_245_376
    change(app, m2_share_embeddings=False)
    assert parameters() == 214_245_376 + 37_000 * 1024
    change(app, m2_share_embeddings=True, m2_target_vocab_size=30_000)
    assert parameters() == 214_245_376 - 7_000 * 1024
    change(app, shown_model="big")
    assert app.metric[0].value == "214 million"  # with sizes of its own, which nobody has changed


def test_sizes_that_do_not_fit_and_the_largest_of_all(open_page: OpenPage) -> None:
    app = open_page(PAGE, m0_num_heads=5)
    assert "64 is not divisible by 5 heads: each would be 12.80 numbers wide" in app.warning[0].value
    for view in VIEWS:
        change(app, architecture_view=view)
    largest = {"num_layers": 24, "d_model": 4096, "num_heads": 128, "d_ff": 16384, "target_vocab_size": 10**6}
    change(app, shown_model="big", **{f"m3_{field}": size for field, size in largest.items()})
    for view in ("size", "picture"):
        change(app, architecture_view=view)
    assert "15.4 billion parameters" in texts(app)


def test_a_training_step_is_walked_through(open_page: OpenPage) -> None:
    app = open_page(PAGE, architecture_view="flow")
    assert "#### 1. A batch of pairs" in texts(app)
    assert "bonjour] :gray-badge[[PAD]] :gray-badge[[PAD]]" in words_of(app)
    press(app, "Next step")
    assert "#### 2. Ids become vectors" in texts(app)
    change(app, training_step=6)
    assert "| Output: **logits** | (B, T, V) | (2, 5, 35) |" in words_of(app)
    change(app, shown_model="base", batch_pairs=[])
    assert "A batch has at least one pair" in texts(app)
    assert "(1, 2, 37000)" in words_of(app)  # bonjour


def test_a_translation_is_walked_through(open_page: OpenPage) -> None:
    app = open_page(PAGE, architecture_view="flow", watched="translating", writing_step=14)
    assert "#### 14. It writes “[END]”" in texts(app)
    change(app, translated=0)
    assert app.slider(key="writing_step").value == 8  # its last step
    press(app, "Previous step")
    assert "#### 7. The decoder reads “hello”" in texts(app)


def test_the_current_model_of_any_config(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    config = checkpoint.config.replace(
        norm="pre", positional_encoding="learned", num_layers=3, max_source_length=1, max_target_length=2
    )
    mine = dataclasses.replace(checkpoint, config=config, weights=random_weights(config))
    app = open_page(PAGE, own=TrainedModel("*Mine*", mine), shown_model="current")
    assert f"*Mine*** · **{parameter_count(config):,} parameters** · 3 + 3 layers" in words_of(app)
    for view in VIEWS:
        change(app, architecture_view=view)
    frame = change(app, architecture_view="layers").dataframe[0].value
    assert list(frame["weight"]) == list(weight_shapes(config))
    assert frame["parameters"].sum() == parameter_count(config)
    assert frame["share"].sum() == pytest.approx(1)
    change(app, architecture_view="flow")
    assert app.multiselect(key="batch_pairs").options == ["bonjour → hello"]  # all that it is long enough for
    assert "decoder input, labels** | (B, T) | (1, 2) |" in words_of(app)


def test_equal_models_have_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    models = {"small": ("Small", TINY), "base": ("Base", BASE), "current": ("Current model", TINY)}
    monkeypatch.setattr(architecture, "_models", lambda: models)
    assert architecture._models_to_compare(BASE) == {"Small": TINY, "Base (this model)": BASE}
    assert list(architecture._models_to_compare(TINY.replace(d_ff=32))) == ["This model", "Small", "Base"]


@pytest.mark.parametrize(
    ("watched", "number", "made"),
    [
        # The classroom model: width 64, 4 heads, 35 target words; the batch has B = 2, S = 4, T = 5.
        ("training", 1, "decoder input, labels** | (B, T) | (2, 5)"),
        ("training", 3, "a layer's attention** | (B, H, S, S) | (2, 4, 4, 4)"),
        ("training", 5, "a layer's attention** | (B, H, T, S) | (2, 4, 5, 4)"),
        ("training", 9, "weights** | (all weights) | (174371)"),
        ("translating", 4, "keys, and values** | (L, H, S, K) | (2, 4, 4, 16)"),
        ("translating", 9, "self-attention** | (1, H, 1, so far) | (1, 4, 1, 3)"),
        ("translating", 9, "Keys and values of the 2 before it are kept"),
        ("translating", 10, ":violet-badge[[START]] :blue-badge[i] :blue-badge[do]"),
        ("translating", 10, ":blue-badge[i] :blue-badge[do] :orange-badge[not]"),
    ],
)
def test_what_a_step_says(open_page: OpenPage, watched: str, number: int, made: str) -> None:
    step = {"training": "training_step", "translating": "writing_step"}[watched]
    app = open_page(PAGE, architecture_view="flow", watched=watched)
    assert made in words_of(change(app, **{step: number}))


@pytest.mark.parametrize("config", [TINY, TINY.replace(norm="pre")])
def test_every_part_has_its_turn_in_both(config: ModelConfig) -> None:
    for steps in (architecture._TRAINING, (*architecture._SENTENCE, *architecture._WORD)):
        named = {part for step in steps for part in step.parts}
        assert all(named & {part.kind, f"{part.side} {part.kind}"} for part in parts_of_model(config))


def test_words_come_from_the_pipeline() -> None:
    rows = architecture._read_pairs([PAIRS[7], PAIRS[0]], CLASSROOM.model)
    assert rows["Encoder reads"] == [["je", "ne", "comprends", "pas"], ["bonjour", "[PAD]", "[PAD]", "[PAD]"]]
    assert rows["Decoder reads"][0] == ["[START]", "i", "do", "not", "understand"]
    assert rows["Labels"][1] == ["hello", "[END]", "[PAD]", "[PAD]", "[PAD]"]
    # Four words and the start sign are five positions of the decoder.
    assert architecture._fits(PAIRS[7], CLASSROOM.model.replace(max_source_length=4, max_target_length=5))
    assert not architecture._fits(PAIRS[7], CLASSROOM.model.replace(max_target_length=4))
    assert not architecture._fits(PAIRS[7], CLASSROOM.model.replace(max_source_length=3))


def test_large_numbers_in_words() -> None:
    words = {174_371: "174,371", 63_082_496: "63.1 million", 1.266e9: "1.27 billion", 2e12: "2.00 trillion"}
    # Rounded to three figures first: then the unit and the places are chosen.
    words |= {999_999_999: "1.00 billion", 9_996_000: "10.0 million", 999_499: "999,499"}
    assert {number: architecture._in_words(number) for number in words} == words
    sizes = {697_484: "0.697 MB", 15_157_248: "15.2 MB", 999_999_999: "1.00 GB", 99_960_000: "100 MB"}
    assert {size: architecture._megabytes(size) for size in sizes} == sizes
