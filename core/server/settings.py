"""The settings of a server: access, limits and defaults."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Self

from core.corpora.corpus import DATA_VARIABLE

MIN_CODE = 6  # characters of the class code; why, core/server/access.py computes
MAX_CODE = 100
PREFIX = "TRANSFORMER_CLASSROOM_"  # of environment variables and Streamlit secrets
_SWITCHES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_ADDRESS = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")


class SettingsError(ValueError):
    """An environment variable has an invalid value; the message says which, but never shows the class code."""


@dataclass(frozen=True)
class Settings:
    """The settings of one server; TRANSFORMER_CLASSROOM_MAX_TRAININGS=4 in the environment sets `max_trainings`.

    Raises:
        SettingsError: the code is too short or too long, or the address is invalid.
    """

    # The class
    class_code: str = ""  # typed once per tab before anything opens; empty: no code is needed
    # The pages shown beside Home, by their addresses: train,translate; empty: all pages.
    pages: tuple[str, ...] = ()
    default_model: str = ""  # folder name of the shipped model selected at first; empty: ted_pt_en
    training_allowed: bool = True
    # Whether to ask questions on the pages and at the end of a lesson.
    exercises: bool = True
    lessons: str = ""  # a folder of lesson files that stand on Home beside ours, as My lesson saves them
    language: str = ""  # that the app speaks first, as fr; empty: that of each browser
    rooms: bool = True  # whether a class can share a room: answer together and follow its teacher
    public_address: str = ""  # the app's address in links and QR codes; empty: the browser's
    # Training
    max_trainings: int = 2  # training runs at a time
    max_training_seconds: float = 600.0  # then a run stops by itself; Continue resumes it
    max_pairs: int = 200  # per training run
    max_parameters: int = 2_000_000  # of the trained model; a tab keeps about 30 bytes for each
    max_epochs: int = 2000
    # Translating and evaluating
    max_text: int = 20_000  # characters in a text box
    max_lines: int = 500  # lines translated at once
    max_translation_seconds: float = 120.0  # then a translation stops by itself; Continue resumes it
    max_evaluated: int = 2000  # pairs per evaluation
    max_evaluation_seconds: float = 1800.0  # then an evaluation ends with the pairs done
    # The server
    # MB of memory that only the server can free; above, new training runs and opened models are refused. 0: four fifths
    # of the container's or machine's memory, which leaves room for TensorFlow's program files if it is 1 GB.
    max_memory: int = 0
    max_workspaces: int = 100  # browser tabs remembered

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Return the defaults, changed by the environment.

        Raises:
            SettingsError: a name or a value is invalid.
        """
        known = {PREFIX + field.name.upper(): field for field in fields(cls)}
        given = {name for name in environment if name.startswith(PREFIX)} - {DATA_VARIABLE}
        # Kubernetes describes a service called transformer-classroom in such variables.
        given = {name for name in given if not re.search("SERVICE_|PORT", name)}
        if unknown := given - known.keys():
            raise SettingsError(f"{min(unknown)} is no setting. Settings: {', '.join(sorted(known))}.")
        values: dict[str, Any] = {}
        for name in given:
            field = known[name]
            values[field.name] = _value(name, environment[name], field.default)
        return cls(**values)

    def __post_init__(self) -> None:
        if self.class_code and not MIN_CODE <= len(self.class_code) <= MAX_CODE:
            raise SettingsError(
                f"{PREFIX}CLASS_CODE must have {MIN_CODE} to {MAX_CODE} characters. "
                f"Received: {len(self.class_code)} characters."
            )
        if self.public_address and not _ADDRESS.fullmatch(self.public_address):
            raise SettingsError(
                f"{PREFIX}PUBLIC_ADDRESS must be an address such as https://host:8000. "
                f"Received: {self.public_address!r:.80}"
            )


@cache
def server_settings() -> Settings:
    """Return the server's settings, read once; Streamlit copies its secrets to the environment before."""
    return Settings.from_environment(os.environ)


def _value(name: str, text: str, default: object) -> Any:
    """Parse a setting's value; its default has the type.

    Whole numbers are at least 1, or at least 0 if the default is 0, which turns the setting off.
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
        is_whole = isinstance(default, int)
        least = 1 if is_whole and default else 0
        expected = f"a whole number from {least}" if is_whole else "a number from 0"
        with suppress(ValueError):
            number = int(text) if is_whole else float(text)
            value = number if least <= number < float("inf") else None
    if value is None:
        raise SettingsError(f"{name} must be {expected}. Received: {text!r:.80}")
    return value
