"""The forward pass: the same results with NumPy and with Keras, by their names; with a hook, and without a memory."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from core.arrays import Floats
from core.config import ModelConfig
from core.inference.model import InferenceModel, KeyValueCache
from core.model import forward
from core.model.forward import Array, ForwardPass, Hook, padding_mask, recording, unchanged
from core.weights import weight_shapes
from tests.conftest import TINY, VARIANTS, random_weights

SOURCE = np.array([[4, 5, 6, 0, 0], [7, 8, 9, 10, 3], [5, 0, 0, 0, 0]], np.int32)
TARGET = np.array([[2, 4, 5, 0], [2, 6, 7, 8], [2, 0, 0, 0]], np.int32)
SHARED = TINY.replace(num_layers=1, target_vocab_size=11, share_embeddings=True, tie_embeddings=True)
MORE_VARIANTS = [
    *VARIANTS,
    pytest.param(SHARED, id="shared"),
    pytest.param(TINY.replace(num_layers=6, norm="pre"), id="six layers"),
    pytest.param(TINY.replace(causal_mask=False), id="no causal mask"),
]


def run(model: ForwardPass) -> Floats:
    memory = model.encode(SOURCE, padding_mask(SOURCE))
    return np.asarray(model.logits(model.decode(TARGET, memory)))


def of_numpy(config: ModelConfig, hook: Hook = unchanged) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    keep = recording(found)
    run(ForwardPass(config, random_weights(config), hook=lambda name, value: keep(name, hook(name, value))))
    return found


def of_keras(config: ModelConfig, hook: Hook = unchanged) -> dict[str, Floats]:
    from core.model.transformer import Transformer

    found: dict[str, Array] = {}
    keep = recording(found)
    model = Transformer(config, random_weights(config))
    model(SOURCE, TARGET, hook=lambda name, value: keep(name, hook(name, value)))
    return {name: np.asarray(value) for name, value in found.items()}


def assert_equal(ours: dict[str, Floats], theirs: dict[str, Floats]) -> None:
    assert list(ours) == list(theirs)
    for name, value in ours.items():
        np.testing.assert_allclose(theirs[name], value, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("config", MORE_VARIANTS)
def test_numpy_equals_keras_in_every_result(config: ModelConfig) -> None:
    assert_equal(of_numpy(config), of_keras(config))


@pytest.mark.parametrize("config", MORE_VARIANTS)
def test_every_weight_counts(config: ModelConfig) -> None:
    weights = random_weights(config)
    logits = run(ForwardPass(config, weights))
    other = random_weights(config, seed=1)
    for name in weights:
        changed = run(ForwardPass(config, {**weights, name: other[name]}))
        assert np.abs(changed - logits).max() > 1e-3, name


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_numpy_equals_keras_with_heads_off_and_a_state_replaced(norm: str) -> None:
    config = TINY.replace(norm=norm)
    state = np.random.default_rng(3).standard_normal((1, 5, 8)).astype(np.float32)
    gates = np.array([0.0, 1.0], np.float32)[:, None, None]

    def change(name: str, value: Array) -> Array:
        if name == "encoder/layer_0":
            return value * 0 + state
        return value * gates if name == "decoder/layer_1/cross_attention/heads" else value

    changed = of_numpy(config, change)
    assert_equal(changed, of_keras(config, change))
    assert np.abs(changed["output"] - of_numpy(config)["output"]).max() > 0.01


def test_the_docstring_lists_the_names() -> None:
    listed = re.findall(r"^    (\S+) +\(", str(forward.__doc__), re.MULTILINE)
    side = {name for name in listed if "/layer_0/" not in name and name != "output"}
    attention = {name for name in listed if "self_attention" in name} | {
        f"encoder/layer_0/self_attention/{name}" for name in ("keys", "values")
    }
    encoder = {*listed, *attention} - {"output"}
    decoder = {
        name.replace("encoder", "decoder").replace("source", "target")
        for name in {*encoder, *(each.replace("self", "cross") for each in attention)}
    }
    assert side
    assert set(of_numpy(TINY.replace(num_layers=1))) == {*encoder, *decoder, "output"}


@pytest.mark.parametrize("config", VARIANTS)
def test_the_keras_model_has_the_weights_listed(config: ModelConfig) -> None:
    from core.model.transformer import Transformer

    model = Transformer(config, random_weights(config))
    built = {name: tuple(variable.shape) for name, variable in model.variables_by_name.items()}
    assert list(built.items()) == list(weight_shapes(config).items())
    assert len(built) == len(model.trainable_variables)
    assert np.isfinite(model(np.zeros((1, 6), np.int32), np.zeros((1, 5), np.int32))).all()


def test_learned_positions_are_scaled_like_the_tokens() -> None:
    config = TINY.replace(positional_encoding="learned")
    weights = random_weights(config)
    tokens, positions = (weights[f"source_embedding/{each}/embeddings"] for each in ("tokens", "positions"))
    found = of_numpy(config)["source_embedding"]
    # times sqrt(d_model), section 3.4
    assert np.allclose(found, (tokens[SOURCE] + positions[:5]) * 8**0.5, atol=1e-5)


@pytest.mark.parametrize("config", VARIANTS)
def test_a_norm_linearized_at_a_vector_is_linear_and_there_the_norm_without_its_shift(
    config: ModelConfig,
) -> None:
    model = ForwardPass(config, random_weights(config))
    path = "encoder/layer_0/self_attention_residual/norm"
    at, x, y = np.random.default_rng(5).standard_normal((3, 4, config.d_model)).astype(np.float32)
    shift = model.norm(path, at) - model.linear_norm(path, at, at)
    assert np.allclose(shift, model.norm(path, 0 * at), atol=1e-5)  # which RMSNorm has not
    parts = 3 * model.linear_norm(path, x, at) + model.linear_norm(path, y, at)
    assert np.allclose(model.linear_norm(path, 3 * x + y, at), parts, atol=1e-5)


def test_dropout_falls_on_results_of_the_pass() -> None:
    from core.training.dropout import dropped_names

    assert set(dropped_names(TINY)) < set(of_numpy(TINY))


def decoder_alone(config: ModelConfig) -> ForwardPass:
    weights = {
        name: array
        for name, array in random_weights(config).items()
        if not name.startswith(("encoder", "source")) and "cross_attention" not in name
    }
    return ForwardPass(config, weights)


@pytest.mark.parametrize(
    "config",
    [
        *VARIANTS,
        pytest.param(SHARED, id="shared"),
        pytest.param(SHARED.replace(positional_encoding="learned"), id="shared-learned"),
    ],
)
def test_a_decoder_without_a_memory_is_a_language_model(config: ModelConfig) -> None:
    """It sees no later token, and step by step it computes the same."""
    model = decoder_alone(config)
    whole = model.logits(model.decode(TARGET, None))
    changed = TARGET.copy()
    changed[:, 3] = 5
    assert np.array_equal(model.logits(model.decode(changed, None))[:, :3], whole[:, :3])
    caches = [KeyValueCache(3, 1, config) for _ in range(config.num_layers)]
    for position in range(4):
        step = model.logits(model.decode_step(TARGET[:, [position]], None, caches))[:, 0]
        real = TARGET[:, position] != 0
        assert np.allclose(step[real], whole[real, position], atol=1e-5)


@pytest.fixture
def in_16_bits() -> Iterator[None]:
    import keras

    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    yield
    keras.config.set_dtype_policy(before)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(
    "choices",
    [
        {"positional_encoding": "learned", "activation": "gelu"},
        {"positional_encoding": "rotary", "activation": "swiglu", "norm_kind": "rms"},
    ],
    ids=["learned", "rotary"],
)
def test_in_16_bits_every_result_has_16_bits(norm: str, choices: dict[str, Any], in_16_bits: None) -> None:
    """A single 32-bit result would make all after it 32-bit too. Weights keep 32 bits."""
    import tensorflow as tf

    from core.model import keras_ops

    config = TINY.replace(norm=norm, **choices)
    types = {}

    def note(name: str, value: Array) -> Array:
        types[name] = value.dtype
        return value

    weights = {name: tf.constant(array) for name, array in random_weights(config).items()}
    logits = run(ForwardPass(config, weights, keras_ops, note))
    assert set(types.values()) == {tf.bfloat16}
    assert np.abs(logits.astype(np.float32) - of_numpy(config)["output"])[TARGET != 0].max() < 0.5


def test_a_source_of_one_word_gives_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    """Keras takes a softmax over one entry for a mistake; for word lists it is none."""
    from core.model.transformer import Transformer

    Transformer(TINY, random_weights(TINY))(SOURCE[2:, :1], TARGET[2:, :1])
    assert list(recwarn) == []


def test_a_misspelt_name_is_an_error() -> None:
    model = InferenceModel(TINY, random_weights(TINY))
    right = "decoder/layer_1/cross_attention/weights"
    assert list(model.results(SOURCE, TARGET, [right])) == [right]
    for wrong in ("decoder/layer_1/cross_attention/weight", "decoder/layer_2/cross_attention/weights"):
        with pytest.raises(KeyError, match=wrong):
            model.results(SOURCE, TARGET, [wrong])
        with pytest.raises(KeyError, match=wrong):
            model.logits(SOURCE, TARGET, {wrong: lambda value: value})
