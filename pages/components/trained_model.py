from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from core.storage.checkpoint import Checkpoint
from pages.components.tensorflow_import import load_tensorflow

if TYPE_CHECKING:
    from core.decoding.translator import Translator


class TrainedModel:
    """A checkpoint with a name, ready to translate. Read-only.

    Args:
        name: for people.
        checkpoint: the model.
    """

    def __init__(self, name: str, checkpoint: Checkpoint) -> None:
        self.name = name
        self.checkpoint = checkpoint

    @cached_property
    def translator(self) -> Translator:
        """Made at its first use, which imports TensorFlow."""
        load_tensorflow()
        return self.checkpoint.translator()
