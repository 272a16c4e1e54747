import dataclasses

from core.checkpoints.checkpoint import Checkpoint
from core.server.trained_model import TrainedModel
from pages.content.pages import POSITIONAL_ENCODING
from tests.conftest import random_weights
from tests.pages.conftest import change, numbers_said, open_page, texts

PAGE = POSITIONAL_ENCODING.file


def test_waves() -> None:
    app = open_page(PAGE, positions_view="waves")
    assert app.multiselect(key="channels").value == [0, 64, 128, 192]
    change(app, width=3)  # which has no channel 64
    change(app, channels=[], length=1)


def test_dot_products_peak_at_p() -> None:
    app = open_page(PAGE, positions_view="dots")
    assert ["1,000", "256.0"] in numbers_said(app)
    change(app, position=1500)
    change(app, length=64)  # 1,500 is beyond the end
    assert ["63", "256.0"] in numbers_said(app)
    assert not change(app, width=1).success
    assert change(app, length=1).get("plotly_chart")


def test_shuffling() -> None:
    app = open_page(PAGE, positions_view="shuffle")
    assert "→ the man bites the dog" in texts(app)
    (changes,) = (each for each in numbers_said(app) if each[:1] == ["0.00"])
    assert float(changes[1]) > 1, "with positions"
    assert ["0.00", "0.00"] in numbers_said(change(app, shuffle=0))
    for text in ("", "one " * 40):
        change(app, shuffled_words=text)


def test_learned_positions_are_offered_and_shown(checkpoint: Checkpoint, with_shipped: None) -> None:
    assert ["48"] in numbers_said(open_page(PAGE, positions_view="learned"))
    config = checkpoint.config.replace(positional_encoding="learned")
    learned = dataclasses.replace(checkpoint, config=config, weights=random_weights(config))
    app = open_page(PAGE, own=TrainedModel("Mine", learned), positions_view="learned")
    assert ["32"] in numbers_said(app) and "**Mine**" in texts(app)
    change(app, learned_side="target")
