"""The settings of a server: access, limits and defaults."""

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Self

from pydantic import BeforeValidator

from core.corpora.corpus import DATA_VARIABLE
from core.described import described, field_infos, read_texts, setting
from core.errors import InputError

MIN_CODE = 6  # characters of the class code; why, core/server/access.py computes
MAX_CODE = 100
PREFIX = "TRANSFORMER_CLASSROOM_"  # of environment variables and Streamlit secrets


def _listed(text: object) -> object:
    """Return the parts of a text between its commas; anything else as it is."""
    if not isinstance(text, str):
        return text
    return tuple(part.strip() for part in text.split(",") if part.strip())


@described
class Settings:
    """The settings of one server; TRANSFORMER_CLASSROOM_MAX_TRAININGS=4 in the environment sets `max_trainings`.

    Raises:
        InputError: a value is not what its setting may be.
    """

    # The class
    class_code: str = setting(
        default="",
        pattern=f"^(.{{{MIN_CODE},{MAX_CODE}}})?$",
        like=f"a text of {MIN_CODE} to {MAX_CODE} characters",
        is_secret=True,
        help="each tab asks for it once; without one, anyone can enter",
    )
    pages: Annotated[tuple[str, ...], BeforeValidator(_listed)] = setting(
        default=(),
        like="addresses of pages, with commas",
        help="the pages to show besides Home, each by the last part of its address; all, if left out",
    )
    default_model: str = setting(
        default="",
        like="a shipped model",
        help="the model that the app opens with; `ted_pt_en`, if left out",
    )
    training_allowed: bool = setting(default=True, help="whether visitors may train")
    exercises: bool = setting(default=True, help="whether pages and lessons ask questions")
    lessons: str = setting(
        default="",
        like="a folder",
        help="lesson files, as **My lesson** saves them, that stand on Home beside ours",
    )
    language: str = setting(
        default="",
        like="a code, as `fr`",
        help="the language that the app speaks first; that of each browser, if left out",
    )
    rooms: bool = setting(default=True, help="whether a class can share a room")
    public_address: str = setting(
        default="",
        pattern=r"^(https?://[^\s/?#]+(/[^\s?#]*)?)?$",
        like="an address such as https://host:8000",
        help="the app's address in links and QR codes; the one in the browser, if left out",
    )
    # Training
    max_trainings: int = setting(default=2, ge=1, help="trainings at the same time; others wait")
    max_training_seconds: float = setting(
        default=600.0, ge=0, help="seconds after which a training stops; it can be continued"
    )
    max_pairs: int = setting(default=2000, ge=1, help="pairs in a training")
    # A tab keeps about 30 bytes for each.
    max_parameters: int = setting(default=2_000_000, ge=1, help="parameters of a model that is trained")
    max_epochs: int = setting(default=2000, ge=1, help="epochs of a training")
    # Translating and evaluating
    max_text: int = setting(default=20_000, ge=1, help="characters in a text box")
    max_lines: int = setting(default=500, ge=1, help="texts translated at once")
    max_translation_seconds: float = setting(
        default=120.0, ge=0, help="seconds after which a translation stops; it can be continued"
    )
    max_evaluated: int = setting(default=2000, ge=1, help="pairs in an evaluation")
    max_evaluation_seconds: float = setting(
        default=1800.0, ge=0, help="seconds after which an evaluation ends with the pairs done so far"
    )
    # The server
    # Four fifths of a container's memory leave room for TensorFlow's program files if it is 1 GB.
    max_memory: int = setting(
        default=0,
        ge=0,
        help="MB that the server may hold before it refuses new work; 0 means four fifths of the machine's or "
        "container's memory, at least 800 and at most 4096",
    )
    max_workspaces: int = setting(default=100, ge=1, help="tabs whose work is kept")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Return the defaults, changed by the environment.

        Raises:
            InputError: a name or a value is invalid.
        """
        names = {_variable(name): name for name in field_infos(cls)}
        given = {name for name in environment if name.startswith(PREFIX)} - {DATA_VARIABLE}
        # Kubernetes describes a service called transformer-classroom in such variables.
        given = {name for name in given if not re.search("SERVICE_|PORT", name)}
        if unknown := given - names.keys():
            raise InputError(f"{min(unknown)} is no setting. Settings: {', '.join(sorted(names))}.")
        return read_texts(cls, {names[name]: environment[name] for name in given}, _variable)


def _variable(field: str) -> str:
    """Return the name of the environment variable that sets a field."""
    return PREFIX + field.upper()


@cache
def server_settings() -> Settings:
    """Return the server's settings, read once; Streamlit copies its secrets to the environment before."""
    return Settings.from_environment(os.environ)
