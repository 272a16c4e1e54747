"""A trained model as a folder of plain files, or as a zip of the same files.

    config.json             format version, name, model, training, tokenizers, example pairs
    weights.safetensors     every weight under its name in core.weights
    source_vocabulary.txt   one token per line, in the order of the ids
    target_vocabulary.txt
    metrics.json            numbers about the training
    epochs.csv              one row per epoch: losses, accuracies, learning rate, seconds
    README.md               the model card

All files are data: nothing is unpickled or executed, and a zip's names never become paths.
"""

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from core.checkpoints.card import write_card
from core.checkpoints.files import (
    CARD,
    CONFIG,
    EPOCHS,
    METRICS,
    REQUIRED,
    SOURCE,
    TARGET,
    WEIGHTS,
    CheckpointFiles,
    write_zip,
)
from core.checkpoints.limits import CheckpointError, OpenLimits
from core.checkpoints.output_folder import check_writable, replaced_folder, write_files
from core.checkpoints.weights_file import check_weights_size, read_weights, write_weights
from core.config import ConfigError, ModelConfig, TrainingConfig
from core.described import read
from core.inference.translator import Translator
from core.language import _
from core.records.text import Pair
from core.records.training import EpochReport
from core.tokens.base import Tokenizer
from core.tokens.normalization import SubwordSettings
from core.tokens.sentences import needs_full_stop
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary, VocabularyError
from core.tokens.word import WordTokenizer
from core.weights import Weights, fingerprint, parameter_count

MAX_NAME_CHARACTERS = 80  # of a checkpoint's name
_FORMAT_VERSION = 1
# Training settings that no longer exist; checkpoints that have them still open.
_RETIRED_SETTINGS = ("subword_dropout", "careless_typing", "ema_decay")
_COLUMNS = tuple(column.name for column in fields(EpochReport))
_REQUIRED_REALS = 4  # loss, accuracy, learning rate, seconds; the other cells may be empty
_MAX_NUMBER = 1e300  # largest number in a file; NaN and infinity are not below it
_OWN_MACHINE = OpenLimits()


@dataclass(frozen=True)
class Checkpoint:
    """A trained model: everything needed to translate with it, and its origin."""

    config: ModelConfig
    weights: Weights
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    training: TrainingConfig | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    epochs: tuple[EpochReport, ...] = ()  # of its training
    examples: tuple[Pair, ...] = ()  # a few pairs to try it with
    name: str = ""  # shown to users
    card: str = ""  # Markdown; if empty, a default card is written
    needs_full_stop: bool = False  # whether it needs final punctuation to translate well
    half_precision: bool = False  # whether files have the weights as float16, at half the size

    def save(self, folder: Path) -> None:
        """Write the folder, whole or not at all; an older checkpoint there is replaced.

        Raises:
            CheckpointError: `folder` has other files in it, or cannot be written.
        """
        check_writable(folder)
        with replaced_folder(folder) as fresh:
            write_files(fresh, self._files())

    def to_zip(self) -> bytes:
        """Return the checkpoint's files as a zip."""
        return write_zip(self._files())

    @classmethod
    def load(cls, path: Path, limits: OpenLimits = _OWN_MACHINE) -> Self:
        """Read a checkpoint folder or zip.

        Raises:
            CheckpointError: it is not a checkpoint, or a part of it does not fit the others or `limits`.
        """
        try:
            return cls._read(CheckpointFiles.at(path, limits))
        except OSError as error:
            raise CheckpointError(
                _("Cannot read {path}: {problem}.").format(path=path, problem=error.strerror or error)
            ) from error

    @classmethod
    def from_zip(cls, data: bytes, limits: OpenLimits = _OWN_MACHINE) -> Self:
        """Read a zip made by `to_zip`, or by hand from a checkpoint folder.

        Raises:
            CheckpointError: it is not a zip, reaches outside its folder, unpacks to more than `limits` has, or
                is not a checkpoint.
        """
        return cls._read(CheckpointFiles.in_zip(data, limits))

    def translator(self) -> Translator:
        """Return a translator with this model."""
        return Translator(
            self.config, self.weights, self.source_tokenizer, self.target_tokenizer, self.needs_full_stop
        )

    def fingerprint(self) -> str:
        """Return a digest of everything that translations depend on."""
        config = replace(self, training=None, examples=(), name="")._config()
        vocabularies = self.source_tokenizer.vocabulary.to_text(), self.target_tokenizer.vocabulary.to_text()
        parts = config, *map(str.encode, vocabularies), fingerprint(self.weights).encode()
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def default_card(self) -> str:
        """Return a card in Markdown, written from configs and metrics."""
        return write_card(self.name, self.config, self.training, self.metrics)

    def _files(self) -> dict[str, bytes]:
        return {
            CONFIG: self._config(),
            WEIGHTS: write_weights(self.weights, self.half_precision),
            SOURCE: self.source_tokenizer.vocabulary.to_text().encode(),
            TARGET: self.target_tokenizer.vocabulary.to_text().encode(),
            METRICS: _write_json(dict(self.metrics)),
            CARD: (self.card or self.default_card()).encode(),
            EPOCHS: _write_epochs(self.epochs),
        }

    def _config(self) -> bytes:
        sides = {"source_tokenizer": self.source_tokenizer, "target_tokenizer": self.target_tokenizer}
        settings = {
            side: asdict(tokenizer.settings)
            for side, tokenizer in sides.items()
            if isinstance(tokenizer, SubwordTokenizer)
        }
        return _write_json(
            {
                "format_version": _FORMAT_VERSION,
                "name": self.name,
                "tokenizer": self.source_tokenizer.kind,
                **settings,
                "model": self.config.to_dict(),
                "training": self.training.to_dict() if self.training else None,
                "needs_stop": self.needs_full_stop,
                "examples": [[pair.source, pair.target] for pair in self.examples],
            }
        )

    @classmethod
    def _read(cls, files: CheckpointFiles) -> Self:
        """Read the small files first, which say how large the others are, and the weights last."""
        if missing := [name for name in REQUIRED if name not in files]:
            raise CheckpointError(_("This is not a checkpoint: {file} is missing.").format(file=missing[0]))
        config = files.json(CONFIG)
        model, training = _read_configs(config)
        _check_model(model, files.limits)
        check_weights_size(files.sizes[WEIGHTS], model)
        examples = _read_examples(config.get("examples", []), files.limits)
        source = _read_tokenizer(files, SOURCE, model.source_vocab_size, config)
        # At first without weights: other errors are found before they are read.
        rest = cls(
            config=model,
            weights={},
            source_tokenizer=source,
            target_tokenizer=_read_tokenizer(files, TARGET, model.target_vocab_size, config),
            training=training,
            metrics=_read_metrics(files) if METRICS in files else {},
            epochs=_read_epochs(files.read(EPOCHS)) if EPOCHS in files else (),
            examples=examples,
            name=_read_name(config.get("name", "")),
            card=files.text(CARD) if CARD in files else "",
            needs_full_stop=_read_needs_full_stop(config.get("needs_stop"), examples, source),
        )
        weights, half_precision = read_weights(files.read(WEIGHTS), model)
        return replace(rest, weights=weights, half_precision=half_precision)


def _refusal(must: str, received: object) -> CheckpointError:
    return CheckpointError(
        _("{file}: {must}. Received: {received}").format(file=CONFIG, must=must, received=f"{received!r:.80}")
    )


def _read_configs(values: Mapping[str, Any]) -> tuple[ModelConfig, TrainingConfig | None]:
    if (version := values.get("format_version")) != _FORMAT_VERSION:
        raise CheckpointError(
            _(
                "{file}: this program reads format version {version}. Received: {received}. "
                "Open the checkpoint with the version of the program that made it."
            ).format(file=CONFIG, version=_FORMAT_VERSION, received=f"{version!r:.80}")
        )
    training = values.get("training")
    if isinstance(training, dict):
        training = {name: value for name, value in training.items() if name not in _RETIRED_SETTINGS}
    try:
        model = ModelConfig.from_dict(values.get("model"))
        return model, TrainingConfig.from_dict(training) if training else None
    except ConfigError as error:
        raise CheckpointError(f"{CONFIG}: {error}") from error


def _check_model(config: ModelConfig, limits: OpenLimits) -> None:
    """Refuse a model by its shape, before arrays of that shape are created."""
    for name, most in limits.shape.items():
        limits.check(f"{CONFIG}: {name}", getattr(config, name), most)
    limits.check(
        _("{file}: the model's parameters").format(file=CONFIG),
        parameter_count(config),
        limits.max_parameters,
    )


def _read_examples(values: Any, limits: OpenLimits) -> tuple[Pair, ...]:
    if not isinstance(values, list) or not all(map(_is_pair, values)):
        raise CheckpointError(
            _("{file}: examples must be a list of [source, target] texts.").format(file=CONFIG)
        )
    limits.check(_("{file}: the number of examples").format(file=CONFIG), len(values), limits.max_examples)
    pairs = tuple(Pair(source, target) for source, target in values)
    longest = max((max(len(pair.source), len(pair.target)) for pair in pairs), default=0)
    limits.check(
        _("{file}: the characters of an example's side").format(file=CONFIG), longest, limits.max_example
    )
    return pairs


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(text, str) for text in value)


def _read_name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS or not value.isprintable():
        raise _refusal(
            _("name must be a text of at most {most} characters").format(most=MAX_NAME_CHARACTERS), value
        )
    return value


def _read_needs_full_stop(value: Any, examples: Sequence[Pair], tokenizer: Tokenizer) -> bool:
    """Return whether the model needs final punctuation; older files without the field are judged by examples."""
    if value is None:
        return needs_full_stop((pair.source for pair in examples), tokenizer)
    if not isinstance(value, bool):
        raise _refusal(_("needs_stop must be true or false"), value)
    return value


def _read_tokenizer(files: CheckpointFiles, name: str, size: int, config: Mapping[str, Any]) -> Tokenizer:
    """Read the tokenizer of SOURCE or TARGET; the target's vocabulary must have start and end."""
    kind = config.get("tokenizer")
    if kind not in (WordTokenizer.kind, SubwordTokenizer.kind):
        raise _refusal(_("tokenizer must be one of word, subword"), kind)
    field = name.replace("vocabulary.txt", "tokenizer")
    settings = config.get(field, {})
    if not isinstance(settings, dict):
        raise _refusal(_("{field} must be an object").format(field=field), settings)
    vocabulary = _read_vocabulary(files, name, size)
    if kind == WordTokenizer.kind:
        return WordTokenizer(vocabulary)
    try:
        return SubwordTokenizer(vocabulary, read(SubwordSettings, settings))
    except ValueError as error:  # a VocabularyError as well
        raise CheckpointError(f"{CONFIG}: {field}: {error}") from error


def _read_vocabulary(files: CheckpointFiles, name: str, size: int) -> Vocabulary:
    text = files.text(name)
    lines = text.count("\n") + (text[-1:] not in ("\n", ""))  # the last line may lack its end
    try:
        if lines != size:  # checked before parsing
            raise VocabularyError(
                _("It must have {count} tokens, as config.json says. Received: {received}").format(
                    count=size, received=lines
                )
            )
        vocabulary = Vocabulary.from_text(text)
        if name == TARGET and not vocabulary.has_start_and_end:
            raise VocabularyError(_("It must have [START] and [END] as ids 2 and 3."))
    except VocabularyError as error:
        raise CheckpointError(f"{name}: {error}") from error
    # A translation may repeat a token hundreds of times.
    longest = max(map(len, vocabulary.tokens))
    files.limits.check(
        _("{file}: the characters of a token").format(file=name), longest, files.limits.max_token
    )
    return vocabulary


def _read_metrics(files: CheckpointFiles) -> dict[str, float]:
    limits = files.limits
    metrics = files.json(METRICS)
    if bad := [name for name, value in metrics.items() if not _is_number(value)]:
        raise CheckpointError(
            _("{file}: {name} must be a number.").format(file=METRICS, name=f"{bad[0]!r:.80}")
        )
    limits.check(_("{file}: its numbers").format(file=METRICS), len(metrics), limits.max_metrics)
    longest = max(map(len, metrics), default=0)
    limits.check(_("{file}: the characters of a name").format(file=METRICS), longest, limits.max_metric)
    return metrics


def _read_epochs(data: bytes) -> tuple[EpochReport, ...]:
    """Return the reports of all epochs.

    Raises:
        CheckpointError: the file is not a table of finite numbers with the columns of `EpochReport`.
    """
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
        if rows and tuple(rows[0]) != _COLUMNS:
            raise ValueError("its columns")
        return tuple(map(_read_epoch, rows[1:]))
    except (ValueError, csv.Error) as error:
        raise CheckpointError(
            _("{file} must be a table of numbers with the columns {columns}.").format(
                file=EPOCHS, columns=", ".join(_COLUMNS)
            )
        ) from error


def _write_epochs(epochs: Sequence[EpochReport]) -> bytes:
    """Write one row per epoch, for `_read_epochs`."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *map(astuple, epochs)])
    return text.getvalue().encode()


def _read_epoch(row: Sequence[str]) -> EpochReport:
    """Read one row, or raise a ValueError if it has too few or too many cells, or one that is not finite."""
    whole = [int(cell) for cell in row[:2]]
    real = [float(cell) if cell else None for cell in row[2:]]
    all_finite = all(_is_number(value) for value in (*whole, *real) if value is not None)
    if len(row) != len(_COLUMNS) or None in real[:_REQUIRED_REALS] or not all_finite:
        raise ValueError("a cell")
    return EpochReport(*whole, *real)


def _write_json(values: Any) -> bytes:
    """Return indented JSON, so that two checkpoints can be compared line by line."""
    return (json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MAX_NUMBER
