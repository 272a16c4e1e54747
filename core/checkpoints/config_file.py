"""config.json: format version, name, model, training, tokenizers, example pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.checkpoints.format import CONFIG, FORMAT_VERSION, CheckpointError
from core.checkpoints.text_files import read_json, write_json
from core.config import ConfigError, ModelConfig, TrainingConfig
from core.inference.final_stop import seen_with_stop_alone
from core.records import Pair
from core.tokens.base import Tokenizer
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer

MAX_NAME_CHARACTERS = 80  # of a checkpoint's name
_TOKENIZERS = (WordTokenizer.kind, SubwordTokenizer.kind)
# Training settings of tools that are gone; checkpoints made with them still open.
_RETIRED_SETTINGS = ("r_drop", "subword_dropout", "careless_typing")


@dataclass(frozen=True)
class ConfigFile:
    """What config.json says, checked. The tokenizers need their vocabularies first."""

    model: ModelConfig
    training: TrainingConfig | None
    examples: tuple[Pair, ...]
    name: str
    needs_stop: bool | None  # None in files written before there was this field
    values: Mapping[str, Any]  # the whole object

    def tokenizer(self, side: str, vocabulary: Vocabulary) -> Tokenizer:
        """The tokenizer of the "source" or the "target".

        Raises:
            CheckpointError: its kind or settings are wrong, or do not fit the vocabulary.
        """
        kind = self.values.get("tokenizer")
        if kind == WordTokenizer.kind:
            return WordTokenizer(vocabulary)
        if kind != SubwordTokenizer.kind:
            raise CheckpointError(
                f"{CONFIG}: tokenizer must be one of {', '.join(_TOKENIZERS)}. Received: {kind!r:.80}"
            )
        field = f"{side}_tokenizer"
        settings = self.values.get(field, {})
        if not isinstance(settings, dict):
            raise CheckpointError(f"{CONFIG}: {field} must be an object. Received: {settings!r:.80}")
        try:
            return SubwordTokenizer(vocabulary, SubwordSettings.from_dict(settings))
        except ValueError as error:  # a VocabularyError as well
            raise CheckpointError(f"{CONFIG}: {field}: {error}") from error

    def reads_with_stop(self, tokenizer: Tokenizer) -> bool:
        """Whether a sentence without final punctuation is read with a full stop; older files' examples tell.

        Args:
            tokenizer: of the source.
        """
        if self.needs_stop is not None:
            return self.needs_stop
        return seen_with_stop_alone((pair.source for pair in self.examples), tokenizer)


def read_config(data: bytes) -> ConfigFile:
    """Read and check config.json.

    Raises:
        CheckpointError: it is damaged, of another format version, or some value is out of range.
    """
    values = read_json(data, CONFIG)
    version = values.get("format_version")
    if version != FORMAT_VERSION:
        raise CheckpointError(
            f"{CONFIG}: this program reads format version {FORMAT_VERSION}. Received: {version!r:.80}. "
            "Open the checkpoint with the version of the program that made it."
        )
    try:
        training = _read_training(values.get("training"))
        model = ModelConfig.from_dict(values.get("model"))
    except ConfigError as error:
        raise CheckpointError(f"{CONFIG}: {error}") from error
    return ConfigFile(
        model,
        training,
        _read_examples(values.get("examples", [])),
        _read_name(values.get("name", "")),
        _read_needs_stop(values.get("needs_stop")),
        values,
    )


def write_config(
    model: ModelConfig,
    training: TrainingConfig | None,
    tokenizers: tuple[Tokenizer, Tokenizer],
    examples: Sequence[Pair],
    name: str,
    needs_stop: bool,
) -> bytes:
    """The reverse of `read_config`; the tokenizers are those of source and target."""
    sides = zip(("source_tokenizer", "target_tokenizer"), tokenizers, strict=True)
    settings = {
        side: tokenizer.settings.to_dict()
        for side, tokenizer in sides
        if isinstance(tokenizer, SubwordTokenizer)
    }
    return write_json(
        {
            "format_version": FORMAT_VERSION,
            "name": name,
            "tokenizer": tokenizers[0].kind,
            **settings,
            "model": model.to_dict(),
            "training": training.to_dict() if training else None,
            "needs_stop": needs_stop,
            "examples": [[pair.source, pair.target] for pair in examples],
        }
    )


def name_with(name: str, note: str) -> str:
    """A checkpoint's name followed by a note; the name is cut where both together would be too long."""
    room = MAX_NAME_CHARACTERS - len(note) - 1
    return f"{name[:room].strip()} {note}".strip()


def _read_training(values: Any) -> TrainingConfig | None:
    if not values:
        return None
    if isinstance(values, dict):
        values = {name: value for name, value in values.items() if name not in _RETIRED_SETTINGS}
    return TrainingConfig.from_dict(values)


def _read_name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARACTERS or not value.isprintable():
        raise CheckpointError(
            f"{CONFIG}: name must be a text of at most {MAX_NAME_CHARACTERS} characters. Received: {value!r:.80}"
        )
    return value


def _read_needs_stop(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise CheckpointError(f"{CONFIG}: needs_stop must be true or false. Received: {value!r:.80}")
    return value


def _read_examples(values: Any) -> tuple[Pair, ...]:
    well_formed = isinstance(values, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
        for pair in values
    )
    if not well_formed:
        raise CheckpointError(f"{CONFIG}: examples must be a list of [source, target] texts.")
    return tuple(Pair(source, target) for source, target in values)
