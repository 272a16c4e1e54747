"""The arguments of commands: those in arguments.toml, and a flag for each setting."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Collection
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from core.config import CHOICES, ConfigError, DecodingConfig, ModelConfig, TrainingConfig

AnyConfig = TypeVar("AnyConfig", ModelConfig, TrainingConfig, DecodingConfig)
_LEARNED = ("source_vocab_size", "target_vocab_size")  # without flags: they follow from the pairs
_ZERO_IS_NONE = {"clip_norm", "patience", "batch_tokens"}  # a flag cannot say None

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
_ARGUMENTS = tomllib.loads(Path(__file__).with_name("arguments.toml").read_text(encoding="utf-8"))
SETTINGS: dict[str, str] = _ARGUMENTS["settings"]
_TYPES = {"int": int, "path": Path}


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Register a command with its arguments from arguments.toml."""
    arguments = dict(_ARGUMENTS[name])
    parser = commands.add_parser(name, help=arguments.pop("help"))
    parser.set_defaults(command=run, name=name)
    for argument, how in arguments.items():
        types = {"type": _TYPES[how["type"]]} if "type" in how else {}
        parser.add_argument(argument, **(how | types))
    return parser


def add_flags(
    group: Any,
    config: type[ModelConfig] | type[TrainingConfig] | type[DecodingConfig],
    without: Collection[str] = (),
) -> None:
    """Add a flag for each field of a config, except those in `without` and vocabulary sizes."""
    for field in fields(config):
        if field.name in _LEARNED or field.name in without:
            continue
        flag = f"--{field.name.replace('_', '-')}"
        kind = str(field.type)
        text = SETTINGS[field.name]
        if field.name in CHOICES:
            group.add_argument(flag, choices=CHOICES[field.name], help=text)
        elif kind == "bool":
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            group.add_argument(flag, type=int if kind.startswith("int") else float, metavar="N", help=text)


def apply_flags(config: AnyConfig, options: argparse.Namespace, without: Collection[str] = ()) -> AnyConfig:
    """Return a config changed by the given flags, except those in `without`, which mean something else.

    Raises:
        ConfigError: a value is out of its range.
    """
    given = {field.name: getattr(options, field.name, None) for field in fields(config)}
    changes = {name: value for name, value in given.items() if value is not None and name not in without}
    for name in _ZERO_IS_NONE & changes.keys():
        changes[name] = changes[name] or None
    return config.replace(**changes)


def check_minimum(options: argparse.Namespace, **least: int) -> None:
    """Check that the numbers of given flags have at least the values in `least`.

    Raises:
        ConfigError: a number is too small.
    """
    for name, low in least.items():
        value = getattr(options, name)
        if value is not None and value < low:
            flag = f"--{name.replace('_', '-')}"
            raise ConfigError(f"{flag} must be a whole number from {low}. Received: {value}")


def require_ray(what: str) -> None:
    """Check that Ray, which the app does not need, is installed.

    Raises:
        ConfigError: it is not; the message says that `what` needs it.
    """
    if find_spec("ray") is None:
        raise ConfigError(f"{what} needs the packages of requirements-cluster.txt")
