"""A trained model, and its file."""

import hashlib
import io
from dataclasses import KW_ONLY
from pathlib import Path
from typing import Annotated, BinaryIO, Self

from pydantic import SkipValidation

from core.atomic_file import replaced
from core.checkpoints.description import Description, write_description
from core.checkpoints.limits import CheckpointError, OpenLimits
from core.checkpoints.model_file import read_model, write_model
from core.described import described
from core.inference.translator import Translator
from core.language import _
from core.weights import Weights, fingerprint

_OWN_MACHINE = OpenLimits()


@described
class Checkpoint(Description):
    """A trained model: its description and its weights."""

    fields_by_name: KW_ONLY
    weights: Annotated[Weights, SkipValidation]
    half_precision: bool = False  # whether its file has the weights as float16, at half the size

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; an older one is replaced.

        Raises:
            CheckpointError: it cannot be written.
        """
        data = self.to_bytes()
        try:
            with replaced(path) as fresh:
                fresh.write_bytes(data)
        except OSError as error:
            raise CheckpointError(f"Cannot write {path}: {error.strerror or error}.") from error

    def to_bytes(self) -> bytes:
        """Return the file's bytes, the same for the same model."""
        return write_model(self, self.weights, self.half_precision)

    @classmethod
    def load(cls, path: Path, limits: OpenLimits = _OWN_MACHINE) -> Self:
        """Read a file.

        Raises:
            CheckpointError: it is not a model, or a part of it does not fit the others or `limits`.
        """
        try:
            with path.open("rb") as file:
                return cls.read(file, limits)
        except OSError as error:
            raise CheckpointError(
                _("Cannot read {path}: {problem}.").format(path=path, problem=error.strerror or error)
            ) from error

    @classmethod
    def from_bytes(cls, data: bytes, limits: OpenLimits = _OWN_MACHINE) -> Self:
        """Read what `to_bytes` returned."""
        return cls.read(io.BytesIO(data), limits)

    @classmethod
    def read(cls, file: BinaryIO, limits: OpenLimits) -> Self:
        """Read an open file; see `load`."""
        model, weights, half_precision = read_model(file, limits)
        return cls(**vars(model), weights=weights, half_precision=half_precision)

    def translator(self) -> Translator:
        """Return a translator with this model."""
        return Translator(
            self.config, self.weights, self.source_tokenizer, self.target_tokenizer, self.needs_full_stop
        )

    def fingerprint(self) -> str:
        """Return a digest of everything that translations depend on."""
        about = Description(
            config=self.config,
            source_tokenizer=self.source_tokenizer,
            target_tokenizer=self.target_tokenizer,
            needs_full_stop=self.needs_full_stop,
        )
        parts = write_description(about), fingerprint(self.weights)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
