import dataclasses
import re
from contextlib import nullcontext

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.server.trained_model import TrainedModel
from pages.content.reader import PAGE_TEXTS
from tests.conftest import numbers, random_weights, subword_checkpoint
from tests.pages.conftest import OpenPage, change, error_of, linked, open_page, texts

PAGE = "pages/inside.py"
IS_OFF = r"-badge\[[^\]]* → \*\*"  # a word's probability with all heads, and without some
VIEWS = PAGE_TEXTS["inside"].views


def test_the_lens_reads_the_encoder_too(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, inside_view="lens", lens="encoder")
    assert VIEWS["lens"].notice in texts(app) and not app.error


def test_heads_off_outlive_a_model_that_lacks_them(with_shipped: None) -> None:
    app = linked(PAGE, inside_view="heads", off_cross="9.9", off_encoder="1.1")
    assert re.search(IS_OFF, texts(app)) and not app.warning
    assert app.query_params["off_cross"] == "9.9"


@pytest.mark.slow
def test_how_much_less_likely_the_translation_is(with_shipped: None) -> None:
    app = linked(PAGE, inside_view="heads", off_cross=["Layer 1", "Layer 2", "Layer 3"])
    assert "1,000" in next(numbers(each.value) for each in app.markdown if each.help)
    app = linked(PAGE, inside_view="heads", off_cross="1.1")
    assert re.search(IS_OFF, texts(app)) and not any(
        numbers(each.value)[1:] for each in app.markdown if each.help
    )


def test_others_compute_between_two_batches(open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Watched(nullcontext[None]):
        def leave(self) -> None:
            calls.append("leave")

        def enter(self) -> None:
            calls.append("enter")

    monkeypatch.setattr("pages.components.model.analysis.compute_gate", Watched)
    open_trained(PAGE, inside_view="heads", sentence="bonne nuit")
    assert calls and calls == ["leave", "enter"] * (len(calls) // 2)


def test_what_takes_too_long_ends_and_is_tried_again(
    open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as short:
        short.setattr("pages.components.model.analysis.MAX_ANALYSIS_SECONDS", -1.0)
        app = open_trained(PAGE, inside_view="honest", sentence="bonjour")
        assert app.error
    assert not change(app).error
    assert VIEWS["honest"].notice in texts(app)


def test_too_long_a_sentence_says_so(open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.inside.MAX_ANALYSIS_TOKENS", 2)
    assert "2" in numbers(error_of(open_trained(PAGE)))


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["1 layer, 1 head", "2 layers, 8 heads", "128 tokens"])
def test_untrained_models(checkpoint: Checkpoint, shape: str) -> None:
    if shape == "128 tokens":
        base, sentence = subword_checkpoint(), "casa " * 127 + "."
        config = base.config.replace(num_layers=1, max_source_length=160, max_target_length=128)
    else:
        base, sentence = checkpoint, "je suis fatigué"
        layers, heads = (1, 1) if shape.startswith("1 ") else (2, 8)
        config = base.config.replace(num_layers=layers, num_heads=heads, d_model=16, d_ff=8)
    model = dataclasses.replace(base, config=config, weights=random_weights(config))
    app = open_page(PAGE, own=TrainedModel("Untrained", model), sentence=sentence)
    for view in VIEWS:
        assert not change(app, inside_view=view).error, view
        assert VIEWS[view].notice in texts(app)
