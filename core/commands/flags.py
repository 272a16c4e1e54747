"""The arguments of commands: those in arguments.toml, and a flag for each setting."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Collection
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from core.config import ConfigError, DecodingConfig, ModelConfig, TrainingConfig
from core.described import asked_of, field_infos, kind_of, options_of

AnyConfig = TypeVar("AnyConfig", ModelConfig, TrainingConfig, DecodingConfig)

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
_ARGUMENTS = tomllib.loads(Path(__file__).with_name("arguments.toml").read_text(encoding="utf-8"))
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
    """Add a flag for each field of a config that people are asked for, except those in `without`."""
    for name, info in field_infos(config).items():
        text = asked_of(info).help.replace("%", "%%")
        if not text or name in without:
            continue  # as the sizes of vocabularies, which follow from the pairs
        flag = f"--{name.replace('_', '-')}"
        kind = kind_of(info)
        if options := options_of(info):
            group.add_argument(flag, choices=options, help=text)
        elif kind is bool:
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            group.add_argument(flag, type=kind, metavar="N", help=text)


def apply_flags(config: AnyConfig, options: argparse.Namespace, without: Collection[str] = ()) -> AnyConfig:
    """Return a config changed by the given flags, except those in `without`, which mean something else.

    Raises:
        ConfigError: a value is out of its range.
    """
    changes: dict[str, Any] = {}
    for name, info in field_infos(type(config)).items():
        value = getattr(options, name, None)
        if value is None or name in without:
            continue
        may_be_none = info.default is None
        changes[name] = None if may_be_none and value == 0 else value  # a flag cannot say None
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
