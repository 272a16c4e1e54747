"""A trained model as a folder of plain files, and the same files as a zip.

    config.json             format version, name, model, training, tokenizers, example pairs
    weights.safetensors     every weight under its name in core.weights
    source_vocabulary.txt   one token a line, in the order of the ids
    target_vocabulary.txt
    metrics.json            numbers about the training
    epochs.csv              one row an epoch: losses, accuracies, learning rate, seconds
    README.md               a card for people

All of it is data: nothing is unpickled or executed, and a zip's names never become paths. Each file is read and
written in a module of its own beside this one; `core.checkpoints.format` has their names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from core.checkpoints.card import write_card
from core.checkpoints.config_file import read_config, write_config
from core.checkpoints.folder_files import FolderFiles
from core.checkpoints.format import (
    CARD,
    CONFIG,
    EPOCHS,
    METRICS,
    REQUIRED,
    SOURCE,
    TARGET,
    WEIGHTS,
    CheckpointError,
    CheckpointFiles,
)
from core.checkpoints.open_limits import OpenLimits
from core.checkpoints.output_folder import check_writable, replaced_folder, write_files
from core.checkpoints.text_files import read_text, write_json
from core.checkpoints.training_files import read_epochs, read_metrics, write_epochs
from core.checkpoints.vocabulary_files import read_vocabulary
from core.checkpoints.weights_file import check_weights_size, read_weights, write_weights
from core.checkpoints.zip_files import ZipFiles, write_zip
from core.config import ModelConfig, TrainingConfig
from core.inference.translator import Translator
from core.records import EpochReport, Pair
from core.tokens.base import Tokenizer
from core.weights import Weights, fingerprint

_OWN_MACHINE = OpenLimits()


@dataclass(frozen=True)
class Checkpoint:
    """A trained model: everything that translating with it takes, and where it came from."""

    config: ModelConfig
    weights: Weights
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    training: TrainingConfig | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    epochs: tuple[EpochReport, ...] = ()  # of its training
    examples: tuple[Pair, ...] = ()  # a few pairs to try it with
    name: str = ""  # for people
    card: str = ""  # Markdown; where empty, one is written from the rest
    needs_stop: bool = False  # whether it reads well only what ends in punctuation
    half_precision: bool = False  # whether files hold the weights as float16, at half the size

    def save(self, folder: Path) -> None:
        """Write the folder, whole or not at all; an older checkpoint there is replaced.

        Raises:
            CheckpointError: `folder` exists and is something else, or cannot be written.
        """
        check_writable(folder)
        with replaced_folder(folder) as fresh:
            write_files(fresh, self._files())

    def to_zip(self) -> bytes:
        """The folder's files as a zip."""
        return write_zip(self._files())

    @classmethod
    def load(cls, path: Path, limits: OpenLimits = _OWN_MACHINE) -> Self:
        """Read a checkpoint folder or zip.

        Raises:
            CheckpointError: it is not a checkpoint, or some part of it does not fit the others or `limits`.
        """
        try:
            if path.is_file():
                limits.check_files({"": path.stat().st_size})
                return cls.from_zip(path.read_bytes(), limits)
            return cls._from_files(FolderFiles(path, limits), limits)
        except OSError as error:
            raise CheckpointError(f"Cannot read {path}: {error.strerror or error}.") from error

    @classmethod
    def from_zip(cls, data: bytes, limits: OpenLimits = _OWN_MACHINE) -> Self:
        """Read a zip made by `to_zip`, or by hand from a checkpoint folder.

        Raises:
            CheckpointError: it is not a zip, reaches outside its folder, unpacks to more than `limits` has, or
                is not a checkpoint.
        """
        return cls._from_files(ZipFiles(data, limits), limits)

    def translator(self) -> Translator:
        """Return its translator."""
        return Translator(
            self.config, self.weights, self.source_tokenizer, self.target_tokenizer, self.needs_stop
        )

    def fingerprint(self) -> str:
        """A short text that identifies all that its translations depend on."""
        return hashlib.sha256(f"{self.kind()} {fingerprint(self.weights)}".encode()).hexdigest()

    def kind(self) -> str:
        """As `fingerprint`, of all but the weights."""
        tokenizers = self.source_tokenizer, self.target_tokenizer
        digest = hashlib.sha256(write_config(self.config, None, tokenizers, (), "", self.needs_stop))
        for tokenizer in tokenizers:
            digest.update(tokenizer.vocabulary.to_text().encode())
        return digest.hexdigest()

    def default_card(self) -> str:
        """What is known about it without a card, as Markdown."""
        return write_card(self.name, self.config, self.metrics)

    def _files(self) -> dict[str, bytes]:
        tokenizers = self.source_tokenizer, self.target_tokenizer
        return {
            CONFIG: write_config(
                self.config, self.training, tokenizers, self.examples, self.name, self.needs_stop
            ),
            WEIGHTS: write_weights(self.weights, self.half_precision),
            SOURCE: self.source_tokenizer.vocabulary.to_text().encode(),
            TARGET: self.target_tokenizer.vocabulary.to_text().encode(),
            METRICS: write_json(dict(self.metrics)),
            CARD: (self.card or self.default_card()).encode(),
            EPOCHS: write_epochs(self.epochs),
        }

    @classmethod
    def _from_files(cls, files: CheckpointFiles, limits: OpenLimits) -> Self:
        """Small files that say how large the rest is come first; the weights come last."""
        if missing := [name for name in REQUIRED if name not in files.sizes]:
            raise CheckpointError(f"This is not a checkpoint: {missing[0]} is missing.")
        config = read_config(files.read(CONFIG))
        model = config.model
        limits.check_model(model)
        check_weights_size(files.sizes[WEIGHTS], model)
        limits.check_examples(config.examples)
        source = read_vocabulary(files, SOURCE, model.source_vocab_size, limits)
        target = read_vocabulary(files, TARGET, model.target_vocab_size, limits)
        source_tokenizer = config.tokenizer("source", source)
        metrics = read_metrics(files.read(METRICS)) if METRICS in files.sizes else {}
        limits.check_metrics(metrics)
        # Without weights at first: whatever else is wrong is found before they are read.
        rest = cls(
            config=model,
            weights={},
            source_tokenizer=source_tokenizer,
            target_tokenizer=config.tokenizer("target", target),
            training=config.training,
            metrics=metrics,
            epochs=read_epochs(files.read(EPOCHS)) if EPOCHS in files.sizes else (),
            examples=config.examples,
            name=config.name,
            needs_stop=config.reads_with_stop(source_tokenizer),
            card=read_text(files.read(CARD), CARD) if CARD in files.sizes else "",
        )
        weights, half_precision = read_weights(files.read(WEIGHTS), model)
        return replace(rest, weights=weights, half_precision=half_precision)
