"""The names of a checkpoint's files, and the error that all of its readers raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

FORMAT_VERSION = 1
CONFIG, WEIGHTS, METRICS, CARD = "config.json", "weights.safetensors", "metrics.json", "README.md"
EPOCHS = "epochs.csv"
SOURCE, TARGET = "source_vocabulary.txt", "target_vocabulary.txt"
REQUIRED = (CONFIG, WEIGHTS, SOURCE, TARGET)
FILES = (*REQUIRED, METRICS, CARD, EPOCHS)


class CheckpointError(ValueError):
    """The checkpoint cannot be read or written; the message says which part and why."""


class CheckpointFiles(Protocol):
    """Where a checkpoint's files come from. Each is read when asked for: config.json can be checked first."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes of each file that is there, by its name."""
        ...

    def read(self, name: str) -> bytes:
        """A file's bytes.

        Raises:
            CheckpointError: it cannot be read.
        """
        ...
