import json
import math
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from core.config import EXPLANATIONS, ConfigError, DecodingConfig, ModelConfig, TrainingConfig

MODEL = ModelConfig(source_vocab_size=38, target_vocab_size=35)
TRAINING = TrainingConfig()
DECODING = DecodingConfig()
AnyConfig = ModelConfig | TrainingConfig | DecodingConfig

NEITHER_WHOLE_NOR_REAL = [math.nan, math.inf, -(10**400), True, "2", [2], {}]
SHARE, CHOICE = "a number of at least 0 and less than 1", ["rotary", "", 1, 0, ["relu"]]
# What each field must be, the ends of what it may be, and what it may not.
RANGES: list[tuple[AnyConfig, str, str, list[Any], list[Any]]] = [
    *(
        (config, name, f"a whole number from {low} to {high}", [low, high], [low - 1, high + 1, 2.0])
        for config, name, low, high in (
            (MODEL, "source_vocab_size", 2, 1_000_000),
            (MODEL, "target_vocab_size", 4, 1_000_000),
            (MODEL, "num_layers", 1, 24),
            (MODEL.replace(num_heads=1), "d_model", 1, 4096),
            (MODEL.replace(d_model=128), "num_heads", 1, 128),
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
        )
    ),
    (MODEL, "dropout_rate", SHARE, [0, 0.999], [1, -0.001]),
    (TRAINING, "beta_1", SHARE, [0, 0.999], [1, -0.1]),
    (TRAINING, "beta_2", SHARE, [0, 0.999], [1, -0.1]),
    (TRAINING, "label_smoothing", SHARE, [0, 0.1], [1, -0.1]),
    (TRAINING, "learning_rate", "a number of more than 0 and at most 1", [1e-30, 1], [0, 1.001, -1e-3]),
    (TRAINING, "epsilon", "a number of at least 1e-12 and at most 1", [1e-12, 1], [0, 1e-50, 1.1]),
    (TRAINING, "clip_norm", r"a number of more than 0 and at most 1e\+06", [1e-3, 1e6], [0, 2e6]),
    (DECODING, "length_penalty", "a number of at least 0 and at most 5", [0, 5], [-0.1, 5.1]),
    (DECODING, "temperature", "a number of at least 0 and at most 10", [0, 10], [-0.1, 10.1]),
    (DECODING, "top_p", "a number of more than 0 and at most 1", [1e-3, 1], [0, 1.1]),
    (MODEL, "positional_encoding", "one of sinusoidal, learned, none", ["learned", "none"], CHOICE),
    (MODEL, "activation", "one of relu, gelu", ["relu", "gelu"], CHOICE),
    (MODEL, "norm", "one of post, pre", ["post", "pre"], CHOICE),
    (TRAINING, "schedule", "one of constant, warmup, linear", ["constant", "warmup", "linear"], CHOICE),
    (MODEL, "tie_embeddings", "true or false", [True, False], CHOICE),
    (MODEL, "causal_mask", "true or false", [True, False], CHOICE),
    (MODEL.replace(target_vocab_size=38), "share_embeddings", "true or false", [True, False], CHOICE),
]


@pytest.mark.parametrize(("config", "name", "words", "right", "wrong"), RANGES)
def test_each_field_has_its_range(
    config: AnyConfig, name: str, words: str, right: list[Any], wrong: list[Any]
) -> None:
    for value in right:
        changed = config.replace(**{name: value})
        assert getattr(changed, name) == value
        assert type(config).from_dict(json.loads(json.dumps(changed.to_dict()))) == changed
    may_be_none = name in ("clip_norm", "patience", "batch_tokens")  # what can be switched off
    nonsense = [value for value in NEITHER_WHOLE_NOR_REAL if "number" in words or value is not True]
    for value in [*wrong, *nonsense, *([] if may_be_none else [None])]:
        with pytest.raises(ConfigError, match=rf"^{name} must be {words}\. Received: "):
            config.replace(**{name: value})
    if may_be_none:
        assert getattr(config.replace(**{name: None}), name) is None


def test_every_field_has_its_range_tested_and_its_explanation() -> None:
    tested = {(type(config), name) for config, name, *_ in RANGES}
    named = {(type(config), field.name) for config in (MODEL, TRAINING, DECODING) for field in fields(config)}
    assert named == tested, "give them a row above"
    learned = {"source_vocab_size", "target_vocab_size"}
    assert EXPLANATIONS.keys() == {name for _, name in named} - learned


def test_settings_that_do_not_go_together() -> None:
    with pytest.raises(
        ConfigError, match=r"d_model must be divisible by num_heads.*d_model=65, num_heads=4$"
    ):
        MODEL.replace(d_model=65, num_heads=4)
    with pytest.raises(
        ConfigError, match=r"needs one vocabulary .* source_vocab_size=38, target_vocab_size=35"
    ):
        MODEL.replace(share_embeddings=True)
    with pytest.raises(ConfigError, match=r"either searched for with beams or drawn in samples"):
        DECODING.replace(beam_size=2, samples=3)


def test_what_is_no_config() -> None:
    with pytest.raises(ConfigError, match=r"^ModelConfig must be a JSON object\. Received: "):
        ModelConfig.from_dict([["d_model", 64]])
    with pytest.raises(ConfigError, match=r"^TrainingConfig has no field 'epoch'\.$"):
        TrainingConfig.from_dict({"epoch": 3})
    with pytest.raises(ConfigError, match=r"^ModelConfig needs the field 'target_vocab_size'\.$"):
        ModelConfig.from_dict({"source_vocab_size": 38})
    with pytest.raises(ConfigError, match=r"^.{,200}$"):  # long nonsense does not fill the message
        MODEL.replace(norm="x" * 10_000)
    with pytest.raises(FrozenInstanceError):
        MODEL.d_model = 128  # type: ignore[misc]
