"""What a trace holds, and what changes to a forward pass do."""

import numpy as np
import pytest
import tensorflow as tf

from core.config import ModelConfig
from core.model.interventions import HeadGates, Interventions, Patch
from core.model.transformer import Trace, Transformer
from core.weights import Weights
from tests.conftest import TINY, random_weights
from tests.model.test_transformer import SOURCE, TARGET

PRE_AND_POST = pytest.mark.parametrize("config", [TINY, TINY.replace(norm="pre")], ids=["post", "pre"])


def model_of(config: ModelConfig, weights: Weights | None = None) -> Transformer:
    model = Transformer(config)
    model.assign_weights(weights or random_weights(config))
    return model


def gates_of(config: ModelConfig, **changed: np.ndarray) -> Interventions:
    on = tf.ones((1, config.num_layers, config.num_heads))
    gates = HeadGates(**{kind: tf.constant(changed.get(kind, on)) for kind in HeadGates._fields})
    return Interventions(gates)


@PRE_AND_POST
def test_a_trace_is_the_forward_pass(config: ModelConfig) -> None:
    model = model_of(config)
    logits, attention = model.forward(SOURCE, TARGET)
    trace = model.trace(SOURCE, TARGET)
    assert np.array_equal(trace.logits, logits)
    for found, expected in zip(trace.attention, attention, strict=True):
        assert np.array_equal(found, expected)
    last = model.decoder.final(trace.decoder_hidden[:, -1])
    assert np.allclose(model._logits(last), logits, atol=1e-5)


@PRE_AND_POST
def test_values_are_what_attention_sums_up(config: ModelConfig) -> None:
    weights = random_weights(config)
    model = model_of(config, weights)
    trace = model.trace(SOURCE, TARGET)
    for kind in ("encoder", "decoder", "cross"):
        values = getattr(trace, f"{kind}_values").numpy()  # (B, L, H, S, K)
        attention = getattr(trace.attention, kind).numpy()
        assert values.shape == (*attention.shape[:3], attention.shape[-1], config.head_dim)
    memory = model.encoder.final(trace.encoder_hidden[:, -1]).numpy()
    name = "decoder/layer_1/cross_attention/key_value"
    projected = memory @ weights[f"{name}/kernel"] + weights[f"{name}/bias"]
    expected = np.split(projected, 2, axis=-1)[1].reshape(*memory.shape[:2], config.num_heads, -1)
    assert np.allclose(trace.cross_values[:, 1], expected.transpose(0, 2, 1, 3), atol=1e-5)


@PRE_AND_POST
def test_gates_of_one_change_nothing_to_the_bit(config: ModelConfig) -> None:
    model = model_of(config)
    assert np.array_equal(
        model.trace(SOURCE, TARGET, interventions=gates_of(config)).logits, model.trace(SOURCE, TARGET).logits
    )


@PRE_AND_POST
@pytest.mark.parametrize(
    ("kind", "sublayer"),
    [
        ("encoder", "encoder/{}/self_attention"),
        ("decoder", "decoder/{}/self_attention"),
        ("cross", "decoder/{}/cross_attention"),
    ],
)
def test_all_heads_off_leave_the_attention_out(config: ModelConfig, kind: str, sublayer: str) -> None:
    """The same model whose sublayer projects its heads to nothing."""
    weights = random_weights(config)
    off = np.ones((1, config.num_layers, config.num_heads), np.float32)
    off[0, 1] = 0
    found = model_of(config, weights).trace(SOURCE, TARGET, interventions=gates_of(config, **{kind: off}))
    name = sublayer.format("layer_1") + "/output/kernel"
    without = model_of(config, {**weights, name: np.zeros_like(weights[name])}).trace(SOURCE, TARGET)
    assert np.allclose(found.logits, without.logits, atol=1e-5)
    assert not np.allclose(found.logits, model_of(config, weights).trace(SOURCE, TARGET).logits, atol=1e-3)


def patch_of(trace: Trace, stack: str, places: list[int]) -> Patch:
    hidden = getattr(trace, f"{stack}_hidden")
    replaced = np.zeros(hidden.shape[:3], bool)
    replaced[:, places] = True
    return Patch(hidden, tf.constant(replaced))


@PRE_AND_POST
def test_patching_everything_is_the_other_run(config: ModelConfig) -> None:
    model = model_of(config)
    other_source = np.where(SOURCE > 3, SOURCE - 1, SOURCE)  # the same padding
    other = model.trace(other_source, TARGET)
    everywhere = list(range(config.num_layers + 1))
    patch = patch_of(other, "encoder", everywhere)
    found = model.trace(SOURCE, TARGET, interventions=Interventions(encoder_patch=patch))
    assert np.allclose(found.logits, other.logits, atol=1e-6)
    # The memory alone decides what the decoder computes; the embedding decides the memory.
    for places in ([config.num_layers], [0]):
        patch = patch_of(other, "encoder", places)
        found = model.trace(SOURCE, TARGET, interventions=Interventions(encoder_patch=patch))
        assert np.allclose(found.logits, other.logits, atol=1e-6)
    patch = patch_of(other, "decoder", [config.num_layers])
    found = model.trace(SOURCE, TARGET, interventions=Interventions(decoder_patch=patch))
    assert np.allclose(found.logits, other.logits, atol=1e-6)


def test_a_patch_of_nothing_changes_nothing() -> None:
    model = model_of(TINY)
    trace = model.trace(SOURCE, TARGET)
    patch = Patch(trace.encoder_hidden + 1.0, tf.zeros(trace.encoder_hidden.shape[:3], tf.bool))
    found = model.trace(SOURCE, TARGET, interventions=Interventions(encoder_patch=patch))
    assert np.array_equal(found.logits, trace.logits)
