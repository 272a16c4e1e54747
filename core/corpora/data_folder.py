"""Where corpora are stored on this machine."""

from __future__ import annotations

import os
from pathlib import Path

DATA_VARIABLE = "TRANSFORMER_CLASSROOM_DATA"
_BESIDE_THE_PROJECT = Path(__file__).parents[2].parent / "shared" / "data"
_OF_THE_USER = Path.home() / ".cache" / "transformer-classroom"


def data_folder() -> Path:
    """The folder that the environment variable TRANSFORMER_CLASSROOM_DATA names.

    Without it, ../shared/data from the project's root where there is one, else
    ~/.cache/transformer-classroom. It need not exist.
    """
    if named := os.environ.get(DATA_VARIABLE):
        return Path(named)
    return _BESIDE_THE_PROJECT if _BESIDE_THE_PROJECT.is_dir() else _OF_THE_USER
