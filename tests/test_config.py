import json
import math
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from pydantic.fields import FieldInfo

from core.config import DecodingConfig, ModelConfig, TrainingConfig
from core.described import field_infos, kind_of, options_of, range_of
from core.errors import InputError
from core.language import number

MODEL = ModelConfig(source_vocab_size=38, target_vocab_size=35)
TRAINING = TrainingConfig()
DECODING = DecodingConfig()
AnyConfig = ModelConfig | TrainingConfig | DecodingConfig

NONSENSE = [math.nan, math.inf, -(10**400), "nonsense", "", [2], {}]
MAY_BE_NONE = ("clip_norm", "patience", "batch_tokens", "vocab_size")  # what can be switched off
FIELDS = [(config, field.name) for config in (MODEL, TRAINING, DECODING) for field in fields(config)]


def refusal(config: AnyConfig, name: str, value: Any) -> str:
    """Return the error of a field, without the value."""
    with pytest.raises(InputError, match=rf"\b{name}\b") as error:
        config.replace(**{name: value})
    return str(error.value).rpartition(": ")[0]


def ends_of(info: FieldInfo) -> tuple[list[Any], list[Any]]:
    """Return values that a field takes and that it refuses, by its description."""
    if options := options_of(info):
        return [*options], [0, 1]
    if kind_of(info) is bool:
        return [True, False], [0, 1]
    low, high = range_of(info)
    step = 1 if kind_of(info) is int else 1e-9
    is_open = [any(getattr(each, name, None) is not None for each in info.metadata) for name in ("gt", "lt")]
    inside = [low + step * is_open[0], high - step * is_open[1]]
    outside = [low if is_open[0] else low - 1e-3, high if is_open[1] else high * 1.001 + 1e-3]
    return inside, [*outside, True, *([low + 0.5] if kind_of(info) is int else [])]


@pytest.mark.parametrize(("config", "name"), FIELDS, ids=[name for _, name in FIELDS])
def test_each_field_takes_what_its_description_allows(config: AnyConfig, name: str) -> None:
    if config is MODEL:  # so that widths and vocabularies fit together
        config = ModelConfig(38, 38, d_model=1 if name == "num_layers" else 128, num_heads=1)
    info = field_infos(type(config))[name]
    what = refusal(config, name, object())
    inside, outside = ends_of(info)
    for value in inside:
        changed = config.replace(**{name: value})
        assert getattr(changed, name) == value
        assert type(config).from_dict(json.loads(json.dumps(changed.to_dict()))) == changed
    for value in [*outside, *NONSENSE]:
        assert refusal(config, name, value) == what
    ends = [end for end in range_of(info) if end is not None]
    limits = options_of(info) or [f"{end:d}" if kind_of(info) is int else number(end, "g") for end in ends]
    assert all(limit in what for limit in limits), "the error says what is allowed"
    if name in MAY_BE_NONE:
        assert getattr(config.replace(**{name: None}), name) is None
    else:
        assert refusal(config, name, None) == what


def test_settings_that_do_not_go_together() -> None:
    with pytest.raises(InputError, match=r"d_model=65, num_heads=4$"):
        MODEL.replace(d_model=65, num_heads=4)
    with pytest.raises(InputError, match=r"source_vocab_size=38, target_vocab_size=35"):
        MODEL.replace(share_embeddings=True)
    with pytest.raises(InputError):
        DECODING.replace(beam_size=2, samples=3)


def test_what_is_no_config() -> None:
    with pytest.raises(InputError, match=r": \[\["):
        ModelConfig.from_dict([["d_model", 64]])
    with pytest.raises(InputError, match=r"\bepoch\b"):
        TrainingConfig.from_dict({"epoch": 3})
    with pytest.raises(InputError, match=r"\btarget_vocab_size\b"):
        ModelConfig.from_dict({"source_vocab_size": 38})
    with pytest.raises(InputError, match=r"^.{,200}$"):  # long nonsense does not fill the message
        MODEL.replace(norm="x" * 10_000)
    with pytest.raises(FrozenInstanceError):
        MODEL.d_model = 128  # type: ignore[misc]
