"""The arguments of commands: those in arguments.toml, and a flag for each setting."""

from __future__ import annotations

import argparse
import dataclasses
import tomllib
from collections.abc import Callable, Collection, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from pydantic.fields import FieldInfo

from core.described import Described, asked_of, field_infos, kind_of, options_of
from core.errors import InputError

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
_ARGUMENTS = tomllib.loads(Path(__file__).with_name("arguments.toml").read_text(encoding="utf-8"))
_TYPES = {"int": int, "path": Path}


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Register a command with its arguments from arguments.toml."""
    arguments = dict(_ARGUMENTS[name])
    parser = commands.add_parser(name, help=arguments.pop("help"))
    parser.set_defaults(command=run, command_name=name)
    for argument, how in arguments.items():
        types = {"type": _TYPES[how["type"]]} if "type" in how else {}
        parser.add_argument(argument, **(how | types))
    return parser


def add_flags(group: Any, cls: type, without: Collection[str] = ()) -> None:
    """Add a flag for each field of a described class that people are asked for, except those in `without`."""
    for name, info in _asked(cls, without):
        text = asked_of(info).help.replace("%", "%%")
        flag = f"--{name.replace('_', '-')}"
        kind = kind_of(info)
        if options := options_of(info):
            group.add_argument(flag, choices=options, help=text)
        elif kind is bool:
            group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
        else:
            group.add_argument(flag, type=kind, metavar="TEXT" if kind is str else "N", help=text)


def _asked(cls: type, without: Collection[str]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the fields that have a flag; the sizes of vocabularies, which follow from the pairs, have none."""
    for name, info in field_infos(cls).items():
        if asked_of(info).help and name not in without:
            yield name, info


def apply_flags(given: Described, options: argparse.Namespace, without: Collection[str] = ()) -> Described:
    """Return a described object changed by the given flags, except those in `without`, which mean something else."""
    changes: dict[str, Any] = {}
    for name, info in _asked(type(given), without):
        value = getattr(options, name, None)
        if value is None:
            continue
        may_be_none = info.default is None
        changes[name] = None if may_be_none and value == 0 else value  # a flag cannot say None
    return dataclasses.replace(given, **changes)  # type: ignore[type-var]


def check_minimum(options: argparse.Namespace, **least: int) -> None:
    """Check that the numbers of given flags have at least the values in `least`.

    Raises:
        InputError: a number is too small.
    """
    for name, low in least.items():
        value = getattr(options, name)
        if value is not None and value < low:
            flag = f"--{name.replace('_', '-')}"
            raise InputError(f"{flag} must be a whole number from {low}. Received: {value}")


def require_ray(what: str) -> None:
    """Check that Ray, which the app does not need, is installed.

    Raises:
        InputError: it is not; the message says that `what` needs it.
    """
    if find_spec("ray") is None:
        raise InputError(f"{what} needs the packages of requirements-cluster.txt")
