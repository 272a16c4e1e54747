import ast
import dataclasses
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.inference.translator import Translator
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.server.trained_model import TrainedModel
from core.theory.model_size import BASE, BIG
from core.weights import parameter_count, weight_shapes
from pages import architecture
from pages.components.model import living
from pages.components.widgets.settings import title_of
from pages.content.pages import ARCHITECTURE
from pages.content.reader import PART_TEXTS
from tests.conftest import numbers, random_weights
from tests.pages.conftest import OpenPage, change, keys_of, numbers_said, open_page, texts

PAGE = ARCHITECTURE.file
VIEWS = ("run", "picture", "size", "layers", "norms")


def words_of(app: AppTest) -> str:
    return texts(app).replace("\N{NO-BREAK SPACE}", " ").replace("\\", "")


def test_a_part_is_opened_with_its_tensors_and_weights() -> None:
    app = open_page(PAGE, architecture_view="picture")
    assert "| `query_key_value/kernel` | (64, 192) | 12,288 |" in words_of(app)
    change(app, opened="decoder_cross_attention", batch_size=3, source_tokens=7, target_tokens=5)
    assert "| (B, H, T, K) | (3, 4, 5, 16) |" in words_of(app)
    assert "| (B, H, S, K) | (3, 4, 7, 16) |" in words_of(app)


def test_a_part_that_another_model_lacks() -> None:
    app = open_page(PAGE, architecture_view="picture", m0_norm=True)
    assert change(app, opened="decoder_final_norm").selectbox(key="opened").value == "decoder_final_norm"
    assert change(app, shown_model="big").selectbox(key="opened").value == "encoder_self_attention"


def test_a_known_model_without_positions_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    of_positions = "| (S, D) |"
    choose = partial(
        open_page, PAGE, architecture_view="picture", shown_model="base", opened="source_embedding"
    )
    assert of_positions in words_of(choose())
    without = BASE.replace(positional_encoding="none")
    monkeypatch.setitem(architecture._KNOWN, "base", ("Base", without))
    app = choose()
    assert app.selectbox(key="opened").value == "source_embedding" and of_positions not in words_of(app)
    assert of_positions in words_of(change(app, m2_positional_encoding=True))


def test_other_sizes() -> None:
    app = open_page(PAGE, architecture_view="size", shown_model="base")
    count = parameter_count(BASE)
    sizes = count / 1e6, 4 * count / 1e6, 2 * count / 1e6, 16 * count / 1e9
    assert [numbers(each.value) for each in app.metric] == [[f"{size:.3g}"] for size in sizes]
    changed = change(app, m2_d_model=1024, m2_d_ff=4096, m2_share_embeddings=False).dataframe[0].value
    larger = BASE.replace(d_model=1024, d_ff=4096, share_embeddings=False)
    assert changed["parameters"].sum() == parameter_count(larger)
    change(app, shown_model="big")
    assert numbers(app.metric[0].value) == [
        f"{parameter_count(BIG) / 1e6:.3g}"
    ]  # with its own, unchanged sizes


@pytest.mark.slow
def test_sizes_that_do_not_fit_and_the_largest_of_all() -> None:
    app = open_page(PAGE, architecture_view="picture", m0_num_heads=5)
    assert "12.80" in app.warning[0].value
    for view in VIEWS:
        change(app, architecture_view=view)
    largest = {"num_layers": 24, "d_model": 4096, "num_heads": 128, "d_ff": 16384, "target_vocab_size": 10**6}
    change(app, shown_model="big", **{f"m3_{field}": size for field, size in largest.items()})
    for view in ("size", "picture"):
        change(app, architecture_view=view)
    count = parameter_count(BIG.replace(**largest, source_vocab_size=10**6))
    assert any(each[:1] == [f"{count / 1e9:.3g}"] for each in numbers_said(app))


def test_a_model_of_any_config(checkpoint: Checkpoint) -> None:
    config = checkpoint.config.replace(
        norm="pre", positional_encoding="learned", num_layers=3, max_source_length=1, max_target_length=2
    )
    mine = dataclasses.replace(checkpoint, config=config, weights=random_weights(config))
    model = TrainedModel("*Mine*", mine)
    app = open_page(PAGE, own=model, architecture_view="size", shown_model=model.id)
    assert any(each[:3] == [f"{parameter_count(config):,}", "3", "3"] for each in numbers_said(app))
    for view in VIEWS:
        change(app, architecture_view=view)
    frame = change(app, architecture_view="layers").dataframe[0].value
    assert list(frame["weight"]) == list(weight_shapes(config))
    assert frame["parameters"].sum() == parameter_count(config)
    assert frame["share"].sum() == pytest.approx(1)


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "none"])
@pytest.mark.parametrize(("kind", "activation"), [("layer", "relu"), ("rms", "gelu"), ("rms", "swiglu")])
def test_what_is_said_of_a_part_is_true_for_the_chosen_model(
    kind: str, activation: str, positions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = BASE.replace(norm_kind=kind, activation=activation, positional_encoding=positions)
    monkeypatch.setitem(architecture._KNOWN, "base", ("Base", config))
    app = open_page(PAGE, architecture_view="picture", shown_model="base")
    says = {
        "encoder_self_attention_norm": {"layer norm": kind == "layer", "rms norm": kind == "rms"},
        "encoder_feed_forward": {
            f"{each} feed-forward": each == activation for each in ("relu", "gelu", "swiglu")
        },
        "encoder_self_attention": {"rotary positions": positions == "rotary"},
        "source_embedding": {"added positions": positions == "sinusoidal"},
    }
    for part, parts in says.items():
        said = texts(change(app, opened=part))
        assert {name: PART_TEXTS[name].does in said for name in parts} == parts
    described = next(each.value for each in app.caption if "37,000" in each.value)
    assert title_of("norm_kind", kind) in described
    assert title_of("activation", activation) in described
    assert f"{config.inner_dim:,}" in described


def test_a_sentence_runs_where_there_is_a_model(open_trained: OpenPage) -> None:
    assert "train_classroom" in keys_of(open_page(PAGE))
    app = open_trained(PAGE, sentence="je suis fatigué", moment="4.cross_attention.9.x.s1")
    assert not app.error and app.query_params["moment"] == "4.cross_attention.9.x.s1"


@pytest.mark.parametrize("name", sorted(living._BOXES))
def test_a_box_opens_with_numbers_that_can_be_checked(translator: Translator, name: str) -> None:
    translation = translator.translate(["ils regardent un film"])[0]
    pair = ForcedPair.of_translation(translator, translation)
    shown = living._box_numbers(Tracer(translator), pair, name, 1, 2)
    words = pair.source if name.startswith("encoder") else pair.decoder_input
    assert len(shown["cells"]) == len(words)
    assert {len(rows) for rows in shown["cells"]} == {len(shown["labels"])}
    if name not in living._ATTENTION:
        return
    for query, rows, mixed in zip(shown["above"], shown["cells"], shown["below"], strict=True):
        keys, values = (
            np.array([ast.literal_eval(text) for text in texts])
            for texts in zip(*shown["fixed"], strict=True)
        )
        score, scaled, mask, weight = (
            np.array([float(cell.replace("−10⁹", "-1e9")) for cell in column])
            for column in zip(*rows, strict=True)
        )
        assert keys @ ast.literal_eval(query.removeprefix("q = ")) == pytest.approx(score, abs=0.05)
        assert score / np.sqrt(keys.shape[1]) == pytest.approx(scaled, abs=0.001)
        assert np.exp(scaled + mask) / np.exp(scaled + mask).sum() == pytest.approx(weight, abs=0.001)
        assert weight @ values == pytest.approx(ast.literal_eval(mixed.partition("= ")[2]), abs=0.01)
