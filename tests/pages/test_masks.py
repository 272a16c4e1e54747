from dataclasses import replace

from core.checkpoints.checkpoint import Checkpoint
from core.server.trained_model import TrainedModel
from pages.content.pages import MASKS
from tests.pages.conftest import change, open_page, press, texts, training_of

PAGE = MASKS.file


def three(text: str) -> dict[str, str]:
    return {f"batch_sentence_{number}": text for number in (1, 2, 3)}


def test_first_view_is_a_batch_and_its_padding_mask() -> None:
    app = open_page(PAGE)
    assert "**3 of 12 positions are padding.**" in texts(app)  # 3, 4 and 2 words
    change(app, batch_sentence_3="can you help me now")
    assert "**3 of 15 positions are padding.**" in texts(app)  # "me" and "now" have the id 1, which is no pad
    assert "**0 of 3 positions are padding.**" in texts(change(app, **three("hello")))
    for text in ("", "one " * 300):
        change(app, **three(text))


def test_softmax_is_stepped_through() -> None:
    app = open_page(PAGE, masks_view="softmax")
    assert r"#### \[START\] i like …" in texts(app)
    assert "Of 5 positions, 2 are blocked." in texts(app)
    press(app, "write_next")
    assert r"#### \[START\] i like tensorflow …" in texts(app)
    change(app, masked_sentence=3)  # a shorter one: the slider goes to its end
    assert app.slider(key="written").value == 3


def test_the_current_model_with_its_padding_mask_and_without(checkpoint: Checkpoint) -> None:
    app = open_page(PAGE, own=TrainedModel("Mine", checkpoint), masks_view="without")
    said = texts(app)
    assert "**4 padding tokens, mask on**" in said
    assert said.count("#### thank you") == 2  # padded and alone: the first sentence shows what a mask is for
    assert "The translation **stays the same**" in said and "**changes**" not in said
    assert "Attention to padding: encoder **0%**, cross-attention **0%**" in said
    said = texts(change(app, padding_mask=False))
    assert said.count("#### thank you") == 1
    assert "The translation **changes**" in said
    change(app, padding_tokens=16)
    unreadable = {"": "There are no words to translate", "🙂": "no words", "mot " * 300: "36 with padding"}
    for text, why in unreadable.items():
        assert why in change(app, padded_text_French=text).error[0].value


def test_the_shipped_model_writes_something_else(with_shipped: None) -> None:
    app = open_page(PAGE, masks_view="without")
    assert texts(app).count(r"#### I want water\.") == 2
    assert "The translation **changes**" not in texts(app)  # until the switch is flipped
    assert "The translation **changes**" in texts(change(app, padding_mask=False))


def test_what_a_model_without_causal_mask_does(checkpoint: Checkpoint) -> None:
    cheating = replace(checkpoint, config=checkpoint.config.replace(causal_mask=False))
    app = open_page(PAGE, own=TrainedModel("Cheat", cheating), masks_view="cheating")
    assert "**15 of 15** sentences right." in texts(app)
    press(app, "train_without_mask")
    job = training_of(app)
    assert not job.work.plan.prepared.model.causal_mask
    # Train shows it as its own, although its form has other settings.
    assert "Stop" in [button.label for button in app.run().button]
    job.stop()
    job.wait(60)
