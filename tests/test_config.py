import dataclasses
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import ConfigError, DecodingConfig, ModelConfig, TrainingConfig

MODEL = ModelConfig(source_vocab_size=38, target_vocab_size=35)
TRAINING = TrainingConfig()
DECODING = DecodingConfig()


@st.composite
def model_configs(draw: st.DrawFn) -> ModelConfig:
    heads = draw(st.integers(1, 32))
    return ModelConfig(
        source_vocab_size=draw(st.integers(2, 1_000_000)),
        target_vocab_size=draw(st.integers(4, 1_000_000)),
        num_layers=draw(st.integers(1, 24)),
        d_model=heads * draw(st.integers(1, 128)),
        num_heads=heads,
        d_ff=draw(st.integers(1, 16384)),
        dropout_rate=draw(st.floats(0, 1, exclude_max=True)),
        max_source_length=draw(st.integers(1, 4096)),
        max_target_length=draw(st.integers(2, 4096)),
        positional_encoding=draw(st.sampled_from(["sinusoidal", "learned"])),
        activation=draw(st.sampled_from(["relu", "gelu"])),
        norm=draw(st.sampled_from(["post", "pre"])),
        tie_embeddings=draw(st.booleans()),
    )


training_configs = st.builds(
    TrainingConfig,
    epochs=st.integers(1, 100_000),
    batch_size=st.integers(1, 4096),
    schedule=st.sampled_from(["constant", "warmup"]),
    learning_rate=st.floats(0, 1, exclude_min=True),
    warmup_steps=st.integers(1, 1_000_000),
    beta_1=st.floats(0, 1, exclude_max=True),
    beta_2=st.floats(0, 1, exclude_max=True),
    epsilon=st.floats(1e-12, 1),
    label_smoothing=st.floats(0, 1, exclude_max=True),
    clip_norm=st.none() | st.floats(0, 1e6, exclude_min=True),
    patience=st.none() | st.integers(1, 100_000),
    seed=st.integers(0, 2**31 - 1),
)
decoding_configs = st.builds(
    DecodingConfig, beam_size=st.integers(1, 16), length_penalty=st.floats(0, 5)
) | st.builds(
    DecodingConfig,
    samples=st.integers(0, 16),
    temperature=st.floats(0, 10),
    top_k=st.integers(0, 1_000_000),
    top_p=st.floats(0, 1, exclude_min=True),
    seed=st.integers(0, 2**31 - 1),
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.one_of(model_configs(), training_configs, decoding_configs))
def test_json_round_trip(config: ModelConfig | TrainingConfig | DecodingConfig) -> None:
    assert type(config).from_dict(json.loads(json.dumps(config.to_dict()))) == config


@given(
    st.sampled_from([MODEL, TRAINING, DECODING]).flatmap(
        lambda config: st.tuples(
            st.just(config),
            st.dictionaries(st.sampled_from(sorted(config.to_dict())), json_values, max_size=3),
        )
    )
)
def test_whatever_json_holds_becomes_a_config_or_a_config_error(
    case: tuple[ModelConfig | TrainingConfig | DecodingConfig, dict[str, Any]],
) -> None:
    config, changes = case
    try:
        received = type(config).from_dict({**config.to_dict(), **changes})
    except ConfigError as error:
        assert len(str(error)) < 300
    else:
        assert received.to_dict() == {**config.to_dict(), **changes}


def test_configs_are_frozen_and_hashable() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        MODEL.d_model = 128  # type: ignore[misc]
    assert {MODEL: 1}[MODEL.replace()] == 1


def test_head_dim() -> None:
    assert MODEL.replace(d_model=512, num_heads=8).head_dim == 64  # the paper's base model, 3.2.2


def test_d_model_must_be_divisible_by_num_heads() -> None:
    with pytest.raises(
        ConfigError, match=r"d_model must be divisible by num_heads.*Received: d_model=65, num_heads=4$"
    ):
        MODEL.replace(d_model=65, num_heads=4)


WHOLE_NUMBERS = [
    (MODEL, "source_vocab_size", 2, 1_000_000),
    (MODEL, "target_vocab_size", 4, 1_000_000),
    (MODEL, "num_layers", 1, 24),
    (MODEL, "d_model", 1, 4096),
    (MODEL, "num_heads", 1, 128),
    (MODEL, "d_ff", 1, 16384),
    (MODEL, "max_source_length", 1, 4096),
    (MODEL, "max_target_length", 2, 4096),
    (TRAINING, "epochs", 1, 100_000),
    (TRAINING, "batch_size", 1, 4096),
    (TRAINING, "batch_tokens", 64, 65536),
    (TRAINING, "warmup_steps", 1, 1_000_000),
    (TRAINING, "patience", 1, 100_000),
    (TRAINING, "seed", 0, 2**31 - 1),
    (DECODING, "beam_size", 1, 16),
    (DECODING, "samples", 0, 16),
    (DECODING, "top_k", 0, 1_000_000),
    (DECODING, "seed", 0, 2**31 - 1),
]


@pytest.mark.parametrize(
    ("config", "name", "low", "high"), WHOLE_NUMBERS, ids=[row[1] for row in WHOLE_NUMBERS]
)
def test_whole_numbers(config: ModelConfig, name: str, low: int, high: int) -> None:
    wrong: object
    for wrong in (low - 1, high + 1, -(10**400), 2.0, 2.5, math.nan, True, "2", [2], {}):
        with pytest.raises(
            ConfigError, match=rf"^{name} must be a whole number from {low} to {high}\. Received: "
        ):
            config.replace(**{name: wrong})
    one_head = {"num_heads": 1} if name == "d_model" else {}
    one_wide = {"d_model": 128} if name == "num_heads" else {}
    for right in (low, high):
        assert getattr(config.replace(**{name: right, **one_head, **one_wide}), name) == right


REAL_NUMBERS = [
    (MODEL, "dropout_rate", "at least 0 and less than 1", [0, 0.0, 0.999], [1, 1.0, -0.001]),
    (TRAINING, "learning_rate", "more than 0 and at most 1", [1e-30, 1, 1.0], [0, 0.0, 1.001, -1e-3]),
    (TRAINING, "beta_1", "at least 0 and less than 1", [0, 0.999], [1, -0.1]),
    (TRAINING, "beta_2", "at least 0 and less than 1", [0, 0.999], [1, -0.1]),
    (TRAINING, "epsilon", "at least 1e-12 and at most 1", [1e-12, 1], [0, 1e-50, 1.1]),
    (TRAINING, "label_smoothing", "at least 0 and less than 1", [0, 0.1], [1, -0.1]),
    (TRAINING, "clip_norm", r"more than 0 and at most 1e\+06", [1e-3, 1e6], [0, -1, 2e6]),
    (TRAINING, "ema_decay", "at least 0 and less than 1", [0, 0.999], [1, -0.1]),
    (DECODING, "length_penalty", "at least 0 and at most 5", [0, 5, 0.6], [-0.1, 5.1]),
    (DECODING, "temperature", "at least 0 and at most 10", [0, 10, 0.8], [-0.1, 10.1]),
    (DECODING, "top_p", "more than 0 and at most 1", [1e-3, 1], [0, 1.1]),
]
CHOICES = [
    (MODEL, "positional_encoding", "sinusoidal, learned"),
    (MODEL, "activation", "relu, gelu"),
    (MODEL, "norm", "post, pre"),
    (TRAINING, "schedule", "constant, warmup, linear"),
]


@pytest.mark.parametrize(
    ("config", "name", "words", "right", "wrong"), REAL_NUMBERS, ids=[row[1] for row in REAL_NUMBERS]
)
def test_real_numbers(config: ModelConfig, name: str, words: str, right: list[Any], wrong: list[Any]) -> None:
    for value in right:
        assert getattr(config.replace(**{name: value}), name) == value
    nonsense = [math.nan, math.inf, -math.inf, 10**400, -(10**400), True, "0.5", [0.5], {}]
    for value in wrong + nonsense:
        with pytest.raises(ConfigError, match=rf"^{name} must be a number of {words}\. Received: "):
            config.replace(**{name: value})


def test_every_field_has_its_range_tested() -> None:
    tested = {(type(config), name) for config, name, *_ in (*WHOLE_NUMBERS, *REAL_NUMBERS, *CHOICES)}
    tested |= {(type(MODEL), name) for name in ("tie_embeddings", "share_embeddings")}
    fields = {(type(config), name) for config in (MODEL, TRAINING, DECODING) for name in config.to_dict()}
    assert fields - tested == set(), "give them a row above"


def test_only_what_can_be_switched_off_may_be_none() -> None:
    assert TRAINING.replace(clip_norm=None, patience=None, batch_tokens=None) == TRAINING
    for config in (MODEL, TRAINING, DECODING):
        for name in config.to_dict():
            if name not in ("clip_norm", "patience", "batch_tokens"):
                with pytest.raises(ConfigError, match=rf"^{name} must be .*Received: None$"):
                    config.replace(**{name: None})


@pytest.mark.parametrize(("config", "name", "choices"), CHOICES)
def test_choices(config: ModelConfig, name: str, choices: str) -> None:
    wrong: object
    for wrong in ("rotary", "", 1, True, ["relu"], {}):
        with pytest.raises(ConfigError, match=rf"^{name} must be one of {choices}\. Received: "):
            config.replace(**{name: wrong})
    for right in choices.split(", "):
        assert getattr(config.replace(**{name: right}), name) == right


def test_tie_embeddings_is_true_or_false() -> None:
    wrong: object
    for wrong in (1, 0, "true", []):
        with pytest.raises(ConfigError, match=r"^tie_embeddings must be true or false\. Received: "):
            MODEL.replace(tie_embeddings=wrong)


def test_long_nonsense_does_not_fill_the_message() -> None:
    with pytest.raises(ConfigError) as caught:
        MODEL.replace(norm="x" * 10_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("values", [None, [], "ModelConfig", 3, [["d_model", 64]]])
def test_from_dict_wants_an_object(values: object) -> None:
    with pytest.raises(ConfigError, match=r"^ModelConfig must be a JSON object\. Received: "):
        ModelConfig.from_dict(values)


def test_from_dict_names_unknown_and_missing_fields() -> None:
    with pytest.raises(ConfigError, match=r"^TrainingConfig has no field 'epoch'\.$"):
        TrainingConfig.from_dict({"epoch": 3})
    with pytest.raises(ConfigError, match=r"^ModelConfig needs the field 'target_vocab_size'\.$"):
        ModelConfig.from_dict({"source_vocab_size": 38})


def test_left_out_fields_take_their_defaults() -> None:
    assert ModelConfig.from_dict({"source_vocab_size": 38, "target_vocab_size": 35}) == MODEL
    assert TrainingConfig.from_dict({}) == TRAINING


def test_the_first_notebook_and_the_paper_agree_with_the_defaults() -> None:
    # The first notebook: 2 layers, d64, 4 heads, d_ff 128, batch 8, 200 epochs, Adam 1e-3.
    assert (MODEL.num_layers, MODEL.d_model, MODEL.num_heads, MODEL.d_ff) == (2, 64, 4, 128)
    assert (TRAINING.batch_size, TRAINING.epochs, TRAINING.learning_rate) == (8, 200, 1e-3)
    # Vaswani et al. 2017, sections 5.3, 5.4 and 6.1.
    assert (TRAINING.beta_1, TRAINING.beta_2, TRAINING.epsilon) == (0.9, 0.98, 1e-9)
    assert (MODEL.dropout_rate, DECODING.length_penalty) == (0.1, 0.6)
