"""A trained model as a folder of plain files, and the same files as a zip.

    config.json             format version, name, model, training, tokenizers, example pairs
    weights.safetensors     every weight under its name in core.model.weight_shapes
    source_vocabulary.txt   one token a line, in the order of the ids
    target_vocabulary.txt
    metrics.json            numbers about the training
    epochs.csv              one row an epoch: losses, accuracies, learning rate, seconds
    README.md               a card for people

All of it is data: nothing is unpickled or executed, and a zip's names never become paths.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import safetensors.numpy

from core.config import ConfigError, ModelConfig, TrainingConfig
from core.decoding.final_stop import seen_with_stop_alone
from core.model.weight_shapes import Weights, parameter_count
from core.records import EpochReport, Pair
from core.storage.folder_files import FolderFiles
from core.storage.format import (
    CARD,
    CONFIG,
    EPOCHS,
    FILES,
    FORMAT_VERSION,
    METRICS,
    REQUIRED,
    SOURCE,
    TARGET,
    WEIGHTS,
    CheckpointFiles,
)  # fmt: skip
from core.storage.format import CheckpointError as CheckpointError
from core.storage.open_limits import OpenLimits
from core.storage.weights_file import check_weights_size, read_weights
from core.storage.zip_files import ZipFiles
from core.tokens.base import Tokenizer
from core.tokens.subword import SubwordSettings, SubwordTokenizer
from core.tokens.vocabulary import Vocabulary, VocabularyError
from core.tokens.word import WordTokenizer

if TYPE_CHECKING:
    from core.decoding.translator import Translator

_LARGEST = 1e300  # that a metric may be; NaN and infinity are not smaller
_LITTER = (".DS_Store", "desktop.ini", "Thumbs.db")  # what file managers leave in any folder
_TOKENIZERS = (WordTokenizer.kind, SubwordTokenizer.kind)
MAX_NAME_CHARACTERS = 80  # characters of a checkpoint's name
_OWN_MACHINE = OpenLimits()


_EPOCH_COLUMNS = tuple(column.name for column in fields(EpochReport))
_REAL_NEEDED = 4  # loss, accuracy, learning rate, seconds; the others may be empty


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
    half_precision: bool = False  # whether files hold the weights as float16, at half the size

    def save(self, folder: Path) -> None:
        """Write the folder, whole or not at all; an older checkpoint there is replaced.

        Raises:
            CheckpointError: `folder` exists and is something else, or cannot be written.
        """
        check_writable(folder)
        with replaced_folder(folder) as fresh:
            for name, data in self._files().items():
                _write(fresh / name, data)

    def translator(self) -> Translator:
        """Ready to translate; imports TensorFlow."""
        from core.decoding.translator import Translator

        return Translator(
            self.config, self.weights, self.source_tokenizer, self.target_tokenizer, self.needs_stop
        )

    @property
    def needs_stop(self) -> bool:
        """Whether it has only seen sentences that end in punctuation; one example that does not says no."""
        return seen_with_stop_alone((pair.source for pair in self.examples), self.source_tokenizer)

    def to_zip(self) -> bytes:
        """The folder's files as a zip."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in self._files().items():
                archive.writestr(name, data)
        return buffer.getvalue()

    def default_card(self) -> str:
        """What is known about it without a card, as Markdown."""
        shape = "\n".join(f"| {name} | {value} |" for name, value in self.config.to_dict().items())
        metrics = "\n".join(f"| {name} | {value:.6g} |" for name, value in self.metrics.items())
        return (
            f"# {self.name or 'A Transformer Classroom checkpoint'}\n\n"
            f"An encoder-decoder Transformer with {parameter_count(self.config):,} parameters, made with "
            "Transformer Classroom. Open it on the app's Checkpoints page, or run\n\n"
            '    python -m core translate FOLDER "a sentence"\n\n'
            f"| model | |\n|---|---|\n{shape}\n\n| training | |\n|---|---|\n{metrics}\n"
        )

    @classmethod
    def load(cls, path: Path, limits: OpenLimits = _OWN_MACHINE) -> Self:
        """Read a checkpoint folder or zip.

        Raises:
            CheckpointError: it is no checkpoint, or some part of it does not fit the others or `limits`.
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
            CheckpointError: it is no zip, reaches outside its folder, unpacks to more than `limits` has, or
                is no checkpoint.
        """
        return cls._from_files(ZipFiles(data, limits), limits)

    def _files(self) -> dict[str, bytes]:
        config = {
            "format_version": FORMAT_VERSION,
            "name": self.name,
            "tokenizer": self.source_tokenizer.kind,
            **self._tokenizer_settings(),
            "model": self.config.to_dict(),
            "training": self.training.to_dict() if self.training else None,
            "examples": [[pair.source, pair.target] for pair in self.examples],
        }
        return {
            CONFIG: _to_json(config),
            WEIGHTS: safetensors.numpy.save(self._stored_weights()),
            SOURCE: self.source_tokenizer.vocabulary.to_text().encode(),
            TARGET: self.target_tokenizer.vocabulary.to_text().encode(),
            METRICS: _to_json(dict(self.metrics)),
            CARD: (self.card or self.default_card()).encode(),
            EPOCHS: _epochs_to_csv(self.epochs),
        }

    def _stored_weights(self) -> dict[str, np.ndarray]:
        dtype = np.float16 if self.half_precision else np.float32
        return {name: np.asarray(array, dtype) for name, array in self.weights.items()}

    def _tokenizer_settings(self) -> dict[str, Any]:
        sides = {"source_tokenizer": self.source_tokenizer, "target_tokenizer": self.target_tokenizer}
        return {
            name: tokenizer.settings.to_dict()
            for name, tokenizer in sides.items()
            if isinstance(tokenizer, SubwordTokenizer)
        }

    @classmethod
    def _from_files(cls, files: CheckpointFiles, limits: OpenLimits) -> Self:
        """What is small and says how large the rest is comes first; the weights come last."""
        if missing := [name for name in REQUIRED if name not in files.sizes]:
            raise CheckpointError(f"This is no checkpoint: {missing[0]} is missing.")
        config = _read_config(files.read(CONFIG))
        model, training = _read_configs(config)
        limits.check_model(model)
        check_weights_size(files.sizes[WEIGHTS], model)
        examples = _read_examples(config.get("examples", []))
        limits.check_examples(examples)
        source = _read_vocabulary(files.read(SOURCE), SOURCE, model.source_vocab_size, limits)
        target = _read_vocabulary(files.read(TARGET), TARGET, model.target_vocab_size, limits)
        if not target.has_start_and_end:
            raise CheckpointError(f"{TARGET} must have [START] and [END] as ids 2 and 3.")
        # Without weights at first, so that whatever else is wrong is found before they are read.
        rest = cls(
            config=model,
            weights={},
            source_tokenizer=_make_tokenizer(source, config, "source_tokenizer"),
            target_tokenizer=_make_tokenizer(target, config, "target_tokenizer"),
            training=training,
            metrics=_read_metrics(files.read(METRICS)) if METRICS in files.sizes else {},
            epochs=_read_epochs(files.read(EPOCHS)) if EPOCHS in files.sizes else (),
            examples=examples,
            name=_read_name(config.get("name", "")),
            card=_read_card(files.read(CARD)) if CARD in files.sizes else "",
        )
        weights, half_precision = read_weights(files.read(WEIGHTS), model)
        return replace(rest, weights=weights, half_precision=half_precision)


def check_writable(
    folder: Path, what: str = "checkpoint", is_one: Callable[[Path], bool] | None = None
) -> None:
    """Whether a checkpoint may be written there; worth asking before a long training.

    Args:
        folder: where to.
        what: is written there, for the message.
        is_one: whether a folder has one in it and nothing else, so that it may be replaced.

    Raises:
        CheckpointError: the path is a file or below one, a folder with other things in it, which saving
            would replace, or nothing may be written there.
    """
    folder = folder.resolve()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise CheckpointError(f"{there} is a file. Name a folder to write the {what} to.")
    above = folder.parent if there == folder else there
    if not os.access(above, os.W_OK | os.X_OK):
        raise CheckpointError(f"Cannot write {folder}: you may not write in {above}.")
    try:
        if there == folder and names_in(folder) and not (is_one or _is_checkpoint)(folder):
            raise CheckpointError(f"{folder} has other files in it. Name a new or empty folder.")
    except OSError as error:
        raise CheckpointError(f"Cannot write {folder}: {error.strerror or error}.") from error


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A new folder to write to, which takes the place of `folder` at the end, or vanishes after an error.

    Raises:
        CheckpointError: something cannot be written.
    """
    folder = folder.resolve()  # through a link to the folder itself, which is replaced
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            yield fresh
            fresh.chmod(0o755)
            _replace_folder(fresh, folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise CheckpointError(f"Cannot write {folder}: {error.strerror or error}.") from error


def names_in(folder: Path) -> set[str]:
    """The names in a folder, without what file managers leave in any."""
    return {path.name for path in folder.iterdir()} - set(_LITTER)


def _is_checkpoint(folder: Path) -> bool:
    """Whether one of our checkpoints and nothing else is in a folder."""
    names = names_in(folder)
    if not names <= set(FILES) or CONFIG not in names:
        return False
    try:
        _OWN_MACHINE.check_files({CONFIG: (folder / CONFIG).stat().st_size})
        return "format_version" in _from_json((folder / CONFIG).read_bytes(), CONFIG)
    except CheckpointError:
        return False


def _replace_folder(fresh: Path, folder: Path) -> None:
    """Put `fresh` in the place of `folder`; two renames, so a half-written folder is never seen."""
    if not folder.exists():
        fresh.rename(folder)
        return
    old = fresh.with_name(f"{fresh.name}.old")
    folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:  # Ctrl-C as well
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it, so that no rename comes before its contents."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _to_json(values: Any) -> bytes:
    return (json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _from_json(data: bytes, name: str) -> dict[str, Any]:
    try:
        values = json.loads(data.decode("utf-8"))
        json.dumps(values, ensure_ascii=False).encode()  # half a character, "\\ud800", is no text
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{name} is not valid JSON.") from error
    if not isinstance(values, dict):
        raise CheckpointError(f"{name} must hold a JSON object.")
    return values


def _read_config(data: bytes) -> dict[str, Any]:
    config = _from_json(data, CONFIG)
    version = config.get("format_version")
    if version != FORMAT_VERSION:
        raise CheckpointError(
            f"{CONFIG}: this program reads format version {FORMAT_VERSION}. Received: {version!r:.80}. "
            "Open the checkpoint with the version of the program that made it."
        )
    return config


def _read_configs(config: Mapping[str, Any]) -> tuple[ModelConfig, TrainingConfig | None]:
    try:
        training = TrainingConfig.from_dict(config["training"]) if config.get("training") else None
        return ModelConfig.from_dict(config.get("model")), training
    except ConfigError as error:
        raise CheckpointError(f"{CONFIG}: {error}") from error


def _read_vocabulary(data: bytes, name: str, expected: int, limits: OpenLimits) -> Vocabulary:
    lines = data.count(b"\n")
    if not expected - 1 <= lines <= expected:  # the last line may lack its end
        raise CheckpointError(f"{name} must have {expected} tokens, as config.json says. Received: {lines}")
    try:
        vocabulary = Vocabulary.from_text(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{name} is not UTF-8 text.") from error
    except VocabularyError as error:
        raise CheckpointError(f"{name}: {error}") from error
    if len(vocabulary) != expected:
        raise CheckpointError(
            f"{name} must have {expected} tokens, as config.json says. Received: {len(vocabulary)}"
        )
    limits.check_tokens(name, vocabulary)
    return vocabulary


def _make_tokenizer(vocabulary: Vocabulary, config: Mapping[str, Any], side: str) -> Tokenizer:
    kind = config.get("tokenizer")
    if kind == WordTokenizer.kind:
        return WordTokenizer(vocabulary)
    if kind != SubwordTokenizer.kind:
        raise CheckpointError(
            f"{CONFIG}: tokenizer must be one of {', '.join(_TOKENIZERS)}. Received: {kind!r:.80}"
        )
    settings = config.get(side, {})
    if not isinstance(settings, dict):
        raise CheckpointError(f"{CONFIG}: {side} must be an object. Received: {settings!r:.80}")
    try:
        return SubwordTokenizer(vocabulary, SubwordSettings.from_dict(settings))
    except ValueError as error:  # a VocabularyError as well
        raise CheckpointError(f"{CONFIG}: {side}: {error}") from error


def _read_name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS or not value.isprintable():
        raise CheckpointError(
            f"{CONFIG}: name must be a text of at most {MAX_NAME_CHARACTERS} characters. Received: {value!r:.80}"
        )
    return value


def _read_card(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{CARD} is not UTF-8 text.") from error


def _read_metrics(data: bytes) -> dict[str, float]:
    metrics = _from_json(data, METRICS)
    if bad := [
        name
        for name, value in metrics.items()
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST
    ]:
        raise CheckpointError(f"{METRICS}: {bad[0]!r:.80} must be a number.")
    return metrics


def _epochs_to_csv(epochs: Sequence[EpochReport]) -> bytes:
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_EPOCH_COLUMNS)
    rows.writerows(astuple(epoch) for epoch in epochs)
    return text.getvalue().encode()


def _read_epochs(data: bytes) -> tuple[EpochReport, ...]:
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
        if rows and tuple(rows[0]) != _EPOCH_COLUMNS:
            raise ValueError("its columns")
        return tuple(_read_epoch(row) for row in rows[1:])
    except (ValueError, csv.Error) as error:
        raise CheckpointError(
            f"{EPOCHS} must be a table of numbers with the columns {', '.join(_EPOCH_COLUMNS)}."
        ) from error


def _read_epoch(row: Sequence[str]) -> EpochReport:
    """Raises ValueError where a cell is no finite number, or there are too few or too many."""
    whole, real = [int(cell) for cell in row[:2]], [float(cell) if cell else None for cell in row[2:]]
    if len(row) != len(_EPOCH_COLUMNS) or any(
        not abs(value) <= _LARGEST for value in (*whole, *real) if value is not None
    ):
        raise ValueError("a cell")
    if None in real[:_REAL_NEEDED]:
        raise ValueError("an empty cell")
    return EpochReport(*whole, *real)


def _read_examples(values: Any) -> tuple[Pair, ...]:
    well_formed = isinstance(values, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
        for pair in values
    )
    if not well_formed:
        raise CheckpointError(f"{CONFIG}: examples must be a list of [source, target] texts.")
    return tuple(Pair(source, target) for source, target in values)
