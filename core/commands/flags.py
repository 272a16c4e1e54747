"""Every setting as a flag."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import fields
from importlib.util import find_spec
from typing import Any, TypeVar, get_args

from core.config import (
    Activation,
    ConfigError,
    DecodingConfig,
    ModelConfig,
    NormPlacement,
    PositionalEncoding,
    ScheduleName,
    TrainingConfig,
)
from core.explanations import EXPLANATIONS

AnyConfig = TypeVar("AnyConfig", ModelConfig, TrainingConfig, DecodingConfig)
_CHOICES = {
    "positional_encoding": get_args(PositionalEncoding),
    "activation": get_args(Activation),
    "norm": get_args(NormPlacement),
    "schedule": get_args(ScheduleName),
}
_LEARNED = ("source_vocab_size", "target_vocab_size")  # from the pairs, so no flags
_ZERO_IS_NONE = {"clip_norm", "patience", "batch_tokens"}  # a flag cannot say None


def add_flags(
    group: Any,
    config: type[ModelConfig] | type[TrainingConfig] | type[DecodingConfig],
    without: Collection[str] = (),
) -> None:
    """A flag for each field of a config that is not learned from the pairs, nor in `without`."""
    for field in fields(config):
        if field.name not in _LEARNED and field.name not in without:
            _add_flag(group, field.name, str(field.type))


def changed(config: AnyConfig, options: argparse.Namespace, without: Collection[str] = ()) -> AnyConfig:
    """The config with the flags that were given, but for those in `without`, which mean something else.

    Raises:
        ConfigError: a value is out of its range.
    """
    given = {field.name: getattr(options, field.name, None) for field in fields(config)}
    changes = {name: value for name, value in given.items() if value is not None and name not in without}
    for name in _ZERO_IS_NONE & changes.keys():
        changes[name] = changes[name] or None
    return config.replace(**changes)


def check_least(options: argparse.Namespace, name: str, least: int) -> None:
    """Whether a flag's number, where it was given, is large enough.

    Raises:
        ConfigError: it is not.
    """
    value = getattr(options, name)
    if value is not None and value < least:
        flag = f"--{name.replace('_', '-')}"
        raise ConfigError(f"{flag} must be a whole number from {least}. Received: {value}")


def require_ray(what: str) -> None:
    """Whether Ray is there, which the app does without.

    Raises:
        ConfigError: it is not; `what` needs it.
    """
    if find_spec("ray") is None:
        raise ConfigError(f"{what} needs more packages: pip install -r requirements-cluster.txt")


def _add_flag(group: Any, name: str, annotation: str) -> None:
    flag = f"--{name.replace('_', '-')}"
    text = EXPLANATIONS[name].replace("%", "%%")
    if name in _CHOICES:
        group.add_argument(flag, choices=_CHOICES[name], help=text)
    elif annotation == "bool":
        group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
    else:
        group.add_argument(flag, type=int if annotation.startswith("int") else float, metavar="N", help=text)
