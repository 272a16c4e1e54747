"""What a server allows its visitors: every limit on what they may ask for, and who may come in, in one place."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Self

MIN_CODE, MAX_CODE = 4, 100  # characters of the class code, which is read aloud or off a board

PREFIX = "TRANSFORMER_CLASSROOM_"  # of the environment variables and Streamlit secrets that change a setting

_SWITCHES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_ADDRESS = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")


class SettingsError(ValueError):
    """An environment variable that is no setting; the message says which and what it must be, but no code."""


@dataclass(frozen=True)
class Settings:
    """Limits of one server. The environment's TRANSFORMER_CLASSROOM_MAX_TRAININGS=4 changes `max_trainings`, and so on.

    Raises:
        SettingsError: the code is too short or too long, or the address is none.
    """

    # The class
    class_code: str = ""  # typed once in each tab before anything opens; empty: everybody may come in
    # Their addresses, as train,translate; empty: all of them. Home is always there.
    pages: tuple[str, ...] = ()
    default_model: str = ""  # the shipped model to begin with, by its folder's name; empty: ted_pt_en
    training_allowed: bool = True
    # Questions on the pages and at the end of a lesson; False: a teacher asks their own.
    exercises: bool = True
    public_address: str = ""  # of the app, for links and QR codes; empty: what the browser says
    # Training
    max_trainings: int = 2  # at a time
    max_training_seconds: float = 600.0  # then a training stops by itself; Continue goes on
    max_pairs: int = 200  # in one of them
    max_parameters: int = 2_000_000  # of its model; a tab keeps about 30 bytes for each
    max_epochs: int = 2000
    # Translating and evaluating
    max_text: int = 20_000  # characters in a text box
    max_lines: int = 500  # texts translated at once
    max_translation_seconds: float = 120.0  # then it stops by itself; Continue goes on
    max_evaluated: int = 2000  # pairs in one evaluation
    max_evaluation_seconds: float = 1800.0  # then it ends with what is done
    # All together
    # MB that only the server itself can give back; above, new trainings and opened models are refused. 0: four fifths
    # of what the container or machine has, which leaves one of 1 GB room for TensorFlow's program files.
    max_memory: int = 0
    max_workspaces: int = 100  # browser tabs remembered

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """The defaults, with what the environment says.

        Raises:
            SettingsError: a value is not what its setting needs.
        """
        changes: dict[str, Any] = {}
        for field in fields(cls):
            name = PREFIX + field.name.upper()
            if name in environment:
                changes[field.name] = _value(name, environment[name], field.default)
        return cls(**changes)

    def __post_init__(self) -> None:
        if self.class_code and not MIN_CODE <= len(self.class_code) <= MAX_CODE:
            raise SettingsError(
                f"{PREFIX}CLASS_CODE must have {MIN_CODE} to {MAX_CODE} characters. Received: {len(self.class_code)}"
            )
        if self.public_address and not _ADDRESS.fullmatch(self.public_address):
            raise SettingsError(
                f"{PREFIX}PUBLIC_ADDRESS must be an address such as https://host:8000. "
                f"Received: {self.public_address!r:.80}"
            )


@cache
def server_settings() -> Settings:
    """The settings of this server, read once. Streamlit puts its secrets into the environment before."""
    return Settings.from_environment(os.environ)


def _value(name: str, text: str, default: object) -> Any:
    """Return a setting's value from its text; what kind it is, its default says.

    A whole number is at least 1, or 0 where that is the default, which turns it off.
    """
    if isinstance(default, str):
        return text.strip()
    if isinstance(default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    value: Any = None
    if isinstance(default, bool):
        expected = "true or false"
        value = _SWITCHES.get(text.strip().lower())
    else:
        is_whole, least = isinstance(default, int), 1 if default and isinstance(default, int) else 0
        expected = f"a whole number from {least}" if is_whole else "a number from 0"
        with suppress(ValueError):
            number = int(text) if is_whole else float(text)
            value = number if least <= number < float("inf") else None
    if value is None:
        raise SettingsError(f"{name} must be {expected}. Received: {text!r:.80}")
    return value
