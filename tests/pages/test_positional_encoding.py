from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from core.classroom.models import TrainedModel
from pages.components.app.menu import POSITIONAL_ENCODING
from tests.conftest import random_weights
from tests.pages.conftest import OpenPage, texts, workspace_of
from tests.pages.explaining import open_address

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = POSITIONAL_ENCODING.file


def test_first_view(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert app.title[0].value == "Positional encoding"
    assert (app.slider(key="length").value, app.slider(key="width").value) == (2048, 512)
    assert "the mean of 16 positions × 4 channels" in texts(app)
    assert "np.sin(angles)" in app.code[0].value
    assert [each.value for each in app.subheader] == ["What to notice", "The formula", "The code"]
    assert "Next: **" in " ".join(link.label for link in app.page_link)


def test_waves(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="positions").set_value("waves").run()
    assert app.multiselect(key="channels").value == [0, 64, 128, 192]
    app.multiselect(key="channels").set_value([]).run()
    app.slider(key="width").set_value(3).run()
    app.slider(key="length").set_value(1).run()
    assert not app.exception
    assert "2\\pi" in app.latex[0].value


def test_dot_products_peak_at_p(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="positions").set_value("dots").run()
    assert "Position 1,000 is most similar to itself: its dot product is **256.0**" in app.success[0].value
    app.slider(key="position").set_value(1500).run()
    assert "Position 1,500 is most similar to itself" in app.success[0].value
    app.slider(key="length").set_value(64).run()
    assert "Position 63 is most similar to itself" in app.success[0].value  # 1,500 is beyond the end
    app.slider(key="width").set_value(1).run()
    assert not app.success
    app.slider(key="length").set_value(1).run()
    assert "none to compare it with" in app.info[0].value


def test_two_channels_make_positions_alike_again(open_page: OpenPage) -> None:
    app = open_address(open_page, PAGE, {"positions": "dots", "length": "2048", "width": "2"})
    assert "it rises again at a distance" in app.success[0].value
    app.slider(key="width").set_value(64).run()
    assert "It falls with the distance" in app.success[0].value


def test_shuffling(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="positions").set_value("shuffle").run()
    assert "the dog bites the man → the man bites the dog" in texts(app)
    assert "at most **0.00** without positions, and by up to **1." in texts(app)
    app.slider(key="shuffle").set_value(0).run()
    assert "by up to **0.00** with them" in texts(app)
    for text in ("", "<b>", "one " * 40):
        app.text_input(key="words").set_value(text).run()
        assert not app.exception
    assert "Only the first 10 words" in texts(app)


def test_learned_positions_are_offered_and_shown(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="positions").set_value("learned").run()
    assert "train with the preset **Since the paper**" in app.info[0].value
    config = checkpoint.config.replace(positional_encoding="learned")
    learned = dataclasses.replace(checkpoint, config=config, weights=random_weights(config))
    workspace_of(app).open_model(TrainedModel("Mine", learned))
    app.run()
    assert "The first 32 positions that **Mine** has learned" in texts(app)
    app.segmented_control(key="side").set_value("target").run()
    assert not app.exception


def test_the_shipped_model_has_waves(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="positions").set_value("learned").run()
    assert "adds the paper's sinusoidal encoding" in app.info[0].value


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            {"positions": "dots", "length": "64", "width": "8", "position": "7"},
            "Position 7 is most similar",
        ),
        (
            {"positions": "shuffle", "words": "je ne sais pas", "shuffle": "0"},
            "je ne sais pas → je ne",
        ),
        (
            {"positions": "nonsense", "length": "x", "width": "1e9"},
            "the mean of 16 positions",
        ),
        ({"positions": "waves", "channels": "9999", "width": "2"}, "A channel is one wave"),
        ({"positions": "waves", "channels": ""}, "A channel is one wave"),
        ({"positions": "dots", "position": "5000"}, "Position 2,047 is most similar to itself"),
        ({"positions": "dots", "position": "1e309"}, "Position 1,000 is most similar to itself"),
    ],
)
def test_an_address_opens_its_view(open_page: OpenPage, address: dict[str, str], said: str) -> None:
    app = open_address(open_page, PAGE, address)
    assert said in "\n".join([texts(app), *(each.value for each in app.success)])
