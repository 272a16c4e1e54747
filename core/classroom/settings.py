"""What a server allows its visitors: every limit on what they may ask for, in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Self

from core.storage.open_limits import MAX_EXAMPLE_CHARACTERS, OpenLimits
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS

PREFIX = "TRANSFORMER_CLASSROOM_"  # of the environment variables and Streamlit secrets that change a setting

OPEN_LIMITS = OpenLimits(  # on a checkpoint opened from a file; units beside the fields of OpenLimits
    max_text_bytes=1024 * 1024,
    max_layers=12,
    max_heads=16,
    max_d_model=1024,
    max_d_ff=4096,
    max_vocabulary=64_000,
    max_length=512,
    max_parameters=30_000_000,
    max_batch_bytes=1024**3,
    max_token=MAX_TOKEN_CHARACTERS,
    max_examples=20,
    max_example=MAX_EXAMPLE_CHARACTERS,
)


class SettingsError(ValueError):
    """An environment variable that is no setting; the message says which and what it must be."""


@dataclass(frozen=True)
class Settings:
    """Limits of one server. TRANSFORMER_CLASSROOM_MAX_RUNS=4 in the environment changes `max_runs`, and so on."""

    # Training
    max_runs: int = 2  # trainings on a few pairs at a time
    max_run_seconds: float = 600.0  # then such a training stops by itself; Continue goes on
    max_pairs: int = 200  # in one of them
    max_pairs_bytes: int = 1024 * 1024  # of an uploaded file of pairs
    max_parameters: int = 2_000_000  # of its model; a tab keeps about 30 bytes for each
    max_layers: int = 6
    max_heads: int = 8
    max_d_model: int = 256
    max_d_ff: int = 1024
    max_length: int = 64  # tokens of a sentence
    max_epochs: int = 2000
    max_batch_size: int = 64
    max_large_parameters: int = 10_000_000  # of a model trained on a large corpus
    max_large_seconds: float = 4 * 3600.0  # then such a training stops by itself; Continue goes on
    max_large_waiting: int = 3
    max_large_kept: int = 2  # such trainings that a server can continue; each takes some 300 MB
    # Translating and evaluating
    max_text: int = 20_000  # characters in a text box
    max_lines: int = 500  # texts translated at once
    max_characters_times_beams: int = 40_000  # translated at once: 5,000 characters with 8 beams
    max_translations: int = 2  # at a time; each keeps more than one core busy
    max_translation_seconds: float = 120.0  # of its own work; Continue goes on
    max_away_seconds: float = 5.0  # that a tab may be gone (a reload takes some) before its translation stops
    max_evaluated: int = 2000  # pairs in one evaluation
    max_evaluation_seconds: float = 1800.0  # then it ends with what is done
    # All together
    max_waiting: int = 60  # jobs in a queue
    max_workspaces: int = 100  # browser tabs remembered
    workspace_seconds: float = 6 * 3600.0  # how long a tab that is gone is remembered
    max_models: int = 5  # trained or opened that a tab keeps
    max_kept_parameters: int = 40_000_000  # of all of them; beyond either, the oldest goes

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """The defaults, with what the environment says.

        Raises:
            SettingsError: a value is no number, or too small.
        """
        changes: dict[str, float] = {}
        for field in fields(cls):
            name = PREFIX + field.name.upper()
            if (text := environment.get(name)) is not None:
                changes[field.name] = _number(name, text, whole=isinstance(field.default, int))
        return cls(**changes)  # type: ignore[arg-type]


@cache
def server_settings() -> Settings:
    """The settings of this server, read once. Streamlit puts its secrets into the environment before."""
    return Settings.from_environment(os.environ)


def _number(name: str, text: str, whole: bool) -> float:
    expected = "a whole number from 1" if whole else "a number from 0"
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        raise SettingsError(f"{name} must be {expected}. Received: {text!r:.80}") from None
    if not (1 if whole else 0) <= value < float("inf"):
        raise SettingsError(f"{name} must be {expected}. Received: {text!r:.80}")
    return value
