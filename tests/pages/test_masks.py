from dataclasses import replace

from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.server.trained_model import TrainedModel
from pages.content.pages import MASKS
from tests.pages.conftest import change, keys_of, numbers_said, open_page, press, texts, training_of

PAGE = MASKS.file


def three(text: str) -> dict[str, str]:
    return {f"batch_sentence_{number}": text for number in (1, 2, 3)}


def outcomes(app: AppTest) -> list[str]:
    """Return the translations of a padded sentence and of the same alone."""
    return [each.value.removeprefix("#### ") for each in app.markdown if each.value.startswith("#### ")]


def test_first_view_is_a_batch_and_its_padding_mask() -> None:
    app = open_page(PAGE)
    assert ["3", "12"] in numbers_said(app)  # 3, 4 and 2 words
    change(app, batch_sentence_3="can you help me now")
    assert ["3", "15"] in numbers_said(app)  # "me" and "now" have the id 1, which is no pad
    assert ["0", "3"] in numbers_said(change(app, **three("hello")))
    for text in ("", "one " * 300):
        change(app, **three(text))


def test_softmax_is_stepped_through() -> None:
    app = open_page(PAGE, masks_view="softmax")
    assert r"#### \[START\] i like …" in texts(app)
    assert any(each[:2] == ["5", "2"] for each in numbers_said(app)), "2 of 5 positions are blocked"
    press(app, "write_next")
    assert r"#### \[START\] i like tensorflow …" in texts(app)
    change(app, masked_sentence=3)  # a shorter one: the slider goes to its end
    assert app.slider(key="written").value == 3


def test_the_current_model_with_its_padding_mask_and_without(checkpoint: Checkpoint) -> None:
    app = open_page(PAGE, own=TrainedModel("Mine", checkpoint), masks_view="without")
    assert outcomes(app) == ["thank you"] * 2  # the first sentence shows what a mask is for
    assert ["0", "0", "0"] in numbers_said(app), "the encoder's change, and the attention to padding"
    changed, alone = outcomes(change(app, padding_mask=False))
    assert changed != alone == "thank you"
    change(app, padding_tokens=16)
    for unreadable, why in {"": "", "🙂": "", "mot " * 300: "36"}.items():
        assert why in change(app, padded_text_French=unreadable).error[0].value


def test_the_shipped_model_writes_something_else(with_shipped: None) -> None:
    app = open_page(PAGE, masks_view="without")
    assert outcomes(app) == [r"I want water\."] * 2
    changed, alone = outcomes(change(app, padding_mask=False))
    assert changed != alone == r"I want water\."


def test_what_a_model_without_causal_mask_does(checkpoint: Checkpoint) -> None:
    cheating = replace(checkpoint, config=checkpoint.config.replace(causal_mask=False))
    app = open_page(PAGE, own=TrainedModel("Cheat", cheating), masks_view="cheating")
    assert any(each[2:4] == ["15", "15"] for each in numbers_said(app)), "all sentences are right"
    press(app, "train_without_mask")
    job = training_of(app)
    assert not job.work.plan.prepared.model.causal_mask
    # Train shows it as its own, although its form has other settings.
    assert "stop_training" in keys_of(app.run())
    job.stop()
    job.wait(60)
