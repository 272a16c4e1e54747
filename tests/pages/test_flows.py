from __future__ import annotations

from core.theory.model_parts import parts_of_model
from pages.components.architecture.flows import Row, WordBatch, training_flow, translation_flow
from tests.conftest import TINY

BATCH = WordBatch(
    sources=(("je", "vais", "bien"), ("merci", "[PAD]", "[PAD]")),
    inputs=(("[START]", "i", "am", "fine"), ("[START]", "thank", "you", "[END]")),
    labels=(("i", "am", "fine", "[END]"), ("thank", "you", "[END]", "[PAD]")),
)


def test_a_training_step() -> None:
    """TINY: width 8, 2 heads, 9 target words; the batch has B = 2, S = 3, T = 4."""
    steps = training_flow(TINY, BATCH, parameters=1234)
    assert [step.key for step in steps] == [
        "batch",
        "embed",
        "encode",
        "decode",
        "cross",
        "guess",
        "loss",
        "backward",
        "update",
    ]
    made = [{tensor.name: tensor.shape(step.sizes) for tensor in step.makes} for step in steps]
    assert made[0] == {"source ids": (2, 3), "decoder input, labels": (2, 4)}
    assert made[2] == {"a layer's attention": (2, 2, 3, 3), "encoder's output": (2, 3, 8)}
    assert made[4] == {"a layer's attention": (2, 2, 4, 3), "vectors": (2, 4, 8)}
    assert made[5] == {"logits": (2, 4, 9)}
    assert made[8] == {"weights": (1234,)}
    assert steps[0].rows[4] == Row("Labels", ("i", "am", "fine", "[END]"))
    assert steps[2].active == {
        "encoder_self_attention",
        "encoder_self_attention_norm",
        "encoder_feed_forward",
        "encoder_feed_forward_norm",
    }
    assert steps[3].active == {"decoder_self_attention"}
    assert steps[4].active >= {"decoder_cross_attention", "decoder_feed_forward"}
    assert not steps[3].active & steps[4].active


def test_every_part_has_its_turn_in_both() -> None:
    for config in (TINY, TINY.replace(norm="pre")):
        keys = {part.key for part in parts_of_model(config)}
        training = training_flow(config, BATCH, 1)
        translating = translation_flow(config, ("merci",), ("[START]", "thanks"), ("thanks", "[END]"))
        for steps in (training[:6], translating):
            assert set().union(*(step.active for step in steps)) == keys


def test_a_translation() -> None:
    inputs, labels = ("[START]", "thank", "you"), ("thank", "you", "[END]")
    steps = translation_flow(TINY, ("merci",), inputs, labels)
    assert [step.key for step in steps] == [
        "sentence", "sentence_embed", "encode_once", "keys_values", "read", "say", "read", "say", "read", "end",
    ]  # fmt: skip
    assert sum("encoder_self_attention" in step.active for step in steps) == 1
    assert sum("decoder_self_attention" in step.active for step in steps) == 3  # once a word, and for the end
    third = {tensor.name: tensor.shape(steps[8].sizes) for tensor in steps[8].makes}
    assert third == {
        "the newest vector": (1, 1, 8),
        "self-attention": (1, 2, 1, 3),
        "cross-attention": (1, 2, 1, 1),
    }
    assert steps[8].rows == (Row("Decoder reads", inputs, new=2),)
    assert steps[7].rows[1] == Row("It writes", ("thank", "you"), new=1)
    assert steps[3].makes[0].shape(steps[3].sizes) == (2, 2, 1, 4)  # L, H, S, K
