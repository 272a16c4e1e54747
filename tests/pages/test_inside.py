from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.models import TrainedModel
from pages.components.inside.opened_sentence import pausing
from tests.conftest import random_weights, subword_checkpoint
from tests.pages.conftest import OpenPage, error_of, texts, workspace_of

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = "pages/inside.py"
VIEWS = {
    "lens": "settled before the last layer",
    "heads": "Press heads to switch them off",
    "source": "the words before it",
    "honest": "The lower a line",
    "patch": "is sufficient to bring the difference over",
}


def opened(open_page: OpenPage, model: TrainedModel, **address: str) -> AppTest:
    """The page as a link opens it, with a model of one's own."""
    app = open_page("pages/home.py")
    workspace_of(app).open_model(model)
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


@pytest.fixture(scope="module")
def model(checkpoint: Checkpoint) -> TrainedModel:
    return TrainedModel("Classroom", checkpoint)


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_every_view(open_page: OpenPage, model: TrainedModel, view: str) -> None:
    app = opened(open_page, model, inside=view)
    assert VIEWS[view] in texts(app)
    assert "What to notice" in texts(app)
    assert not app.error
    # The view of sources may rightly say so of a word.
    assert all("hallucinated" in each.value for each in app.warning)
    assert not app.get("doc_string")  # Streamlit writes out what a script names in a line of its own


def test_the_encoder_s_lens(open_page: OpenPage, model: TrainedModel) -> None:
    app = opened(open_page, model)
    app.segmented_control(key="lens").set_value("encoder").run()
    assert not app.exception
    assert VIEWS["lens"] in texts(app)


@pytest.mark.slow
def test_heads_off_change_the_translation(open_page: OpenPage, model: TrainedModel) -> None:
    app = opened(open_page, model, inside="heads")
    assert texts(app).count("**i like tensorflow**") == 2  # above, and with all heads on
    every = [f"{layer}.{head}" for layer in (1, 2) for head in (1, 2, 3, 4)]
    app.button_group(key="off_cross").set_value(every).run()
    assert not app.exception
    assert "8 heads off" in texts(app)
    assert texts(app).count("**i like tensorflow**") == 2
    assert "log P of the translation at the top falls by" in texts(app)
    assert app.query_params["off_cross"] in (",".join(every), [",".join(every)])


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_a_bad_link_falls_back(open_page: OpenPage, model: TrainedModel, view: str) -> None:
    nonsense = {
        "off_cross": "99.1,x", "off_encoder": "1.1", "lens": "<b>",
        "two": "77",
    }  # fmt: skip
    app = opened(open_page, model, inside=view, **nonsense)
    assert VIEWS[view].split()[-1] in texts(app)
    if view == "heads":
        assert "heads that this model does not have" in "".join(each.value for each in app.warning)
        assert "1 head off" in texts(app)


def test_a_view_that_there_is_not(open_page: OpenPage, model: TrainedModel) -> None:
    app = opened(open_page, model, inside="foo")
    assert "does not have" in app.warning[0].value
    assert VIEWS["lens"] in texts(app)


@pytest.mark.parametrize("sentence", ["merci", "je je je je je je", "merci 🙂", "שלום"])
def test_unusual_sentences(open_page: OpenPage, model: TrainedModel, sentence: str) -> None:
    for view in ("lens", "heads", "source", "honest"):
        app = opened(open_page, model, inside=view, sentence=sentence)
        assert not app.error
        assert VIEWS[view].split()[-1] in texts(app)


def test_others_compute_between_two_batches(
    open_page: OpenPage, model: TrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    class Watched:
        def leave(self) -> None:
            calls.append("leave")

        def enter(self) -> None:
            calls.append("enter")

    monkeypatch.setattr("pages.components.inside.opened_sentence.compute_gate", Watched)
    opened(open_page, model, inside="heads", sentence="bonne nuit")
    assert calls and calls == ["leave", "enter"] * (len(calls) // 2)


def test_waiting_for_others_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy:
        def leave(self) -> None:
            pass

        def enter(self) -> None:
            time.sleep(0.4)

    monkeypatch.setattr("pages.components.inside.opened_sentence.compute_gate", Busy)
    pause = pausing(0.6)
    for _ in range(4):
        pause()
    time.sleep(0.7)
    with pytest.raises(ValueError, match="takes too long"):
        pause()


def test_what_takes_too_long_ends_and_is_tried_again(
    open_page: OpenPage, model: TrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as short:
        short.setattr("pages.components.inside.opened_sentence._MAX_SECONDS", -1.0)
        app = opened(open_page, model, inside="honest", sentence="bonjour")
    assert "takes too long on this server" in error_of(app)
    app.run()
    assert not app.error
    assert VIEWS["honest"] in texts(app)


def test_too_long_a_sentence_says_so(
    open_page: OpenPage, model: TrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.inside.opened_sentence._MAX_TOKENS", 2)
    app = opened(open_page, model)
    assert "this page opens at most 2" in error_of(app)


@pytest.mark.slow
@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (2, 8)])
def test_small_and_large_untrained_models(
    open_page: OpenPage, checkpoint: Checkpoint, layers: int, heads: int
) -> None:
    config = checkpoint.config.replace(num_layers=layers, num_heads=heads, d_model=16, d_ff=8)
    model = TrainedModel(
        "Untrained", dataclasses.replace(checkpoint, config=config, weights=random_weights(config))
    )
    for view in ("lens", "heads", "source", "honest"):
        app = opened(open_page, model, inside=view, sentence="je suis fatigué")
        assert not app.error
        assert "What to notice" in texts(app)


@pytest.mark.slow
def test_a_sentence_of_128_tokens(open_page: OpenPage) -> None:
    tiny = subword_checkpoint()
    config = tiny.config.replace(num_layers=1, max_source_length=160, max_target_length=128)
    model = TrainedModel("Long", dataclasses.replace(tiny, config=config, weights=random_weights(config)))
    for view in ("lens", "heads", "source", "honest"):
        app = opened(open_page, model, inside=view, sentence="casa " * 127 + ".")
        assert not app.exception
        assert not app.error, view
        assert "What to notice" in texts(app)
