"""Files of text and of JSON, read as data and written the same way everywhere."""

from __future__ import annotations

import json
from typing import Any

from core.checkpoints.format import CheckpointError

MAX_NUMBER = 1e300  # of a number in a file; NaN and infinity are not smaller


def read_text(data: bytes, name: str) -> str:
    """The text of the file `name`.

    Raises:
        CheckpointError: it is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{name} is not UTF-8 text.") from error


def read_json(data: bytes, name: str) -> dict[str, Any]:
    """The object in the file `name`.

    Raises:
        CheckpointError: it is not JSON, or not an object.
    """
    try:
        values = json.loads(data.decode("utf-8"))
        json.dumps(values, ensure_ascii=False).encode()  # fails for half a character, as "\\ud800"
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{name} is not valid JSON.") from error
    if not isinstance(values, dict):
        raise CheckpointError(f"{name} must hold a JSON object.")
    return values


def write_json(values: Any) -> bytes:
    """Indented JSON; every checkpoint is written alike, so two can be compared by eye."""
    return (json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def is_number(value: Any) -> bool:
    """Whether a value is a number, and finite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER
