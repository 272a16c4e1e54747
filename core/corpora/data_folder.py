"""Where corpora are stored on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


@contextmanager
def leaves_no_empty_folders(folder: Path) -> Iterator[None]:
    """What a failed download has made and left empty goes again: `folder`, those above it and those in it."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    except BaseException:
        below = [path for path in new[-1].rglob("*") if path.is_dir()] if new else []
        for path in (*sorted(below, reverse=True), *new):
            with suppress(OSError):  # there is something in it, or nothing was made
                path.rmdir()
        raise
