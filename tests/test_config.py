import json
import math
import re
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from core.config import DecodingConfig, ModelConfig, TrainingConfig
from core.errors import InputError

MODEL = ModelConfig(source_vocab_size=38, target_vocab_size=35)
TRAINING = TrainingConfig()
DECODING = DecodingConfig()
AnyConfig = ModelConfig | TrainingConfig | DecodingConfig

NONSENSE = [math.nan, math.inf, -(10**400), "nonsense", "", [2], {}]
MAY_BE_NONE = ("clip_norm", "patience", "batch_tokens")  # what can be switched off
FIELDS = [(config, field.name) for config in (MODEL, TRAINING, DECODING) for field in fields(config)]


def refusal(config: AnyConfig, name: str, value: Any) -> str:
    """Return what a field must be, as the error says it."""
    with pytest.raises(InputError, match=rf"^{name} must be .*\. Received: ") as error:
        config.replace(**{name: value})
    return str(error.value).removeprefix(f"{name} must be ").split(". Received")[0]


def ends_of(what: str) -> tuple[list[Any], list[Any]]:
    """Return values that a field takes and that it refuses, by what its error says."""
    if numbers := re.fullmatch(r"a whole number from (\d+) to (\d+)", what):
        low, high = map(int, numbers.groups())
        return [low, high], [low - 1, high + 1, low + 0.5, True]
    if numbers := re.fullmatch(r"a number of (at least|more than) (\S+) and (at most|less than) (\S+)", what):
        least, most = float(numbers[2]), float(numbers[4])
        inside = [
            least if numbers[1] == "at least" else least + 1e-9,
            most if numbers[3] == "at most" else most - 1e-9,
        ]
        outside = [least - 1e-3 if numbers[1] == "at least" else least, most + 1e-3 * most]
        return inside, [*outside, *([most] if numbers[3] == "less than" else []), True]
    if what == "true or false":
        return [True, False], [0, 1]
    return what.removeprefix("one of ").split(", "), [0, 1]


@pytest.mark.parametrize(("config", "name"), FIELDS, ids=[name for _, name in FIELDS])
def test_each_field_takes_what_its_error_says(config: AnyConfig, name: str) -> None:
    if config is MODEL:  # so that widths and vocabularies fit together
        config = ModelConfig(38, 38, d_model=1 if name == "num_layers" else 128, num_heads=1)
    what = refusal(config, name, object())
    inside, outside = ends_of(what)
    for value in inside:
        changed = config.replace(**{name: value})
        assert getattr(changed, name) == value
        assert type(config).from_dict(json.loads(json.dumps(changed.to_dict()))) == changed
    for value in [*outside, *NONSENSE]:
        assert refusal(config, name, value) == what
    if name in MAY_BE_NONE:
        assert getattr(config.replace(**{name: None}), name) is None
    else:
        assert refusal(config, name, None) == what


def test_settings_that_do_not_go_together() -> None:
    with pytest.raises(InputError, match=r"d_model must be divisible by num_heads.*d_model=65, num_heads=4$"):
        MODEL.replace(d_model=65, num_heads=4)
    with pytest.raises(
        InputError, match=r"needs one vocabulary .* source_vocab_size=38, target_vocab_size=35"
    ):
        MODEL.replace(share_embeddings=True)
    with pytest.raises(InputError, match=r"either searched for with beams or drawn in samples"):
        DECODING.replace(beam_size=2, samples=3)


def test_what_is_no_config() -> None:
    with pytest.raises(InputError, match=r"^This is not an object with fields: "):
        ModelConfig.from_dict([["d_model", 64]])
    with pytest.raises(InputError, match=r"^There is no field epoch\.$"):
        TrainingConfig.from_dict({"epoch": 3})
    with pytest.raises(InputError, match=r"^The field target_vocab_size is missing\.$"):
        ModelConfig.from_dict({"source_vocab_size": 38})
    with pytest.raises(InputError, match=r"^.{,200}$"):  # long nonsense does not fill the message
        MODEL.replace(norm="x" * 10_000)
    with pytest.raises(FrozenInstanceError):
        MODEL.d_model = 128  # type: ignore[misc]
