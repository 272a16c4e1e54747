import dataclasses

from core.checkpoints.checkpoint import Checkpoint
from core.server.trained_model import TrainedModel
from pages.content.pages import POSITIONAL_ENCODING
from tests.conftest import random_weights
from tests.pages.conftest import change, open_page, texts

PAGE = POSITIONAL_ENCODING.file


def test_waves() -> None:
    app = open_page(PAGE, positions_view="waves")
    assert app.multiselect(key="channels").value == [0, 64, 128, 192]
    change(app, width=3)  # which has no channel 64
    change(app, channels=[], length=1)


def test_dot_products_peak_at_p() -> None:
    app = open_page(PAGE, positions_view="dots")
    assert "Position 1,000 with itself: **256.0**" in texts(app)
    change(app, position=1500)
    change(app, length=64)  # 1,500 is beyond the end
    assert "Position 63 with itself: " in texts(app)
    assert not change(app, width=1).success
    assert change(app, length=1).get("plotly_chart")


def test_shuffling() -> None:
    app = open_page(PAGE, positions_view="shuffle")
    assert "→ the man bites the dog" in texts(app)
    assert "**0.00** without positions, and by up to **1." in texts(app)
    assert "by up to **0.00** with them" in texts(change(app, shuffle=0))
    for text in ("", "one " * 40):
        change(app, shuffled_words=text)


def test_learned_positions_are_offered_and_shown(checkpoint: Checkpoint, with_shipped: None) -> None:
    said = texts(open_page(PAGE, positions_view="learned"))
    assert "The first 48 target positions" in said
    config = checkpoint.config.replace(positional_encoding="learned")
    learned = dataclasses.replace(checkpoint, config=config, weights=random_weights(config))
    app = open_page(PAGE, own=TrainedModel("Mine", learned), positions_view="learned")
    assert "The first 32 positions that **Mine**" in texts(app)
    change(app, learned_side="target")
