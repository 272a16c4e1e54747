"""What a model's file says of it besides the weights.

A new field is described here, once: with a label it is on the card, with a help text `train` has a flag for it.
"""

import json
from dataclasses import KW_ONLY
from typing import Annotated, Literal

from pydantic import PlainSerializer, PlainValidator, TypeAdapter

from core.checkpoints.card import default_card, with_origin
from core.config import ModelConfig, TrainingConfig
from core.described import asked_of, described, field_infos, read, read_json, setting
from core.errors import InputError
from core.language import N_, _
from core.records.text import Pair
from core.records.training import EpochReport
from core.tokens.base import Tokenizer
from core.tokens.character import CharacterTokenizer
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer

MAX_NAME_CHARACTERS = 80
MAX_EXAMPLE_CHARACTERS = 300  # per side
MAX_EXAMPLES = 20
MAX_EPOCHS = 1000  # reports of a long training are thinned to so many
MAX_CARD_CHARACTERS = 100_000
_MAX_METRICS = 100
_MAX_NUMBER = 1e300

_EXAMPLES = N_("one of at most 20 pairs, a source and a target")
_METRICS = N_("one of at most 100 numbers, with a short name")
_EPOCHS = N_("one of at most 1,000 reports, made of numbers")


@described
class TokenizerText:
    """A tokenizer as a file has it."""

    vocabulary: list[str]  # tokens in the order of their ids
    subwords: SubwordSettings | None = None  # None: whole words, or characters
    characters: bool = False


def _as_text(tokenizer: Tokenizer) -> TokenizerText:
    settings = tokenizer.settings if isinstance(tokenizer, SubwordTokenizer) else None
    is_of_characters = isinstance(tokenizer, CharacterTokenizer)
    return TokenizerText(list(tokenizer.vocabulary.tokens), settings, is_of_characters)


def _tokenizer_of(value: object) -> Tokenizer:
    """Return a tokenizer as it is, or the one that a file has as text."""
    if isinstance(value, Tokenizer):
        return value
    text = read(TokenizerText, value)
    try:
        vocabulary = Vocabulary(text.vocabulary)
        if text.subwords:
            return SubwordTokenizer(vocabulary, text.subwords)
        return CharacterTokenizer(vocabulary) if text.characters else WordTokenizer(vocabulary)
    except ValueError as error:
        raise InputError(str(error)) from error


# What is newer than files, by where it stands. A model that has these values has the file that it had before.
_LATER: dict[str, dict[str, object]] = {
    "config": {"norm_kind": "layer"},
    "training": {"source_tokens": "auto", "target_tokens": "auto", "vocab_size": None},
    "source_tokenizer": {"characters": False},
    "target_tokenizer": {"characters": False},
}
_Tokenizer = Annotated[Tokenizer, PlainValidator(_tokenizer_of), PlainSerializer(_as_text)]
_MetricName = Annotated[str, setting(max_length=100)]
_Number = Annotated[float, setting(ge=-_MAX_NUMBER, le=_MAX_NUMBER)]


@described
class Description:
    """A trained model without its weights: everything else that translating takes, and where it comes from.

    Raises:
        InputError: a field is not what it must be, or the vocabularies do not fit the model.
    """

    fields_by_name: KW_ONLY
    format_version: Literal[2] = setting(
        default=2, like=N_("2 to be opened here; the program that made the file opens it")
    )
    config: ModelConfig = setting(label=N_("model"))
    source_tokenizer: _Tokenizer
    target_tokenizer: _Tokenizer
    name: str = setting(
        default="",
        max_length=MAX_NAME_CHARACTERS,
        help="the model's name, for people (default: that of the pairs, or none)",
    )
    training: TrainingConfig | None = setting(default=None, label=N_("training"))
    needs_full_stop: bool = False  # whether it needs final punctuation to translate well
    # A few pairs to try it with.
    examples: tuple[Pair, ...] = setting(default=(), max_length=MAX_EXAMPLES, like=_EXAMPLES)
    # Numbers about the training and the scores, by name.
    metrics: dict[_MetricName, _Number] = setting(
        default={}, max_length=_MAX_METRICS, like=_METRICS, label=N_("result")
    )
    epochs: tuple[EpochReport, ...] = setting(
        default=(), max_length=MAX_EPOCHS, like=_EPOCHS
    )  # of its training
    # Markdown: its card, if it has one of its own, and that of the model from which its training went on.
    card: str = setting(default="", max_length=MAX_CARD_CHARACTERS)
    origin: str = setting(default="", max_length=MAX_CARD_CHARACTERS)

    def __post_init__(self) -> None:
        if not self.name.isprintable():
            raise InputError(
                _("name must be a text in one line. Received: {received}").format(
                    received=f"{self.name!r:.80}"
                )
            )
        for side in ("source", "target"):
            size = getattr(self.config, f"{side}_vocab_size")
            count = len(getattr(self, f"{side}_tokenizer").vocabulary)
            if count != size:
                text = _("{side}_tokenizer must have {size} tokens, as the config says. Received: {count}")
                raise InputError(text.format(side=side, size=size, count=count))
        if not self.target_tokenizer.vocabulary.has_start_and_end:
            raise InputError(_("target_tokenizer must have [START] and [END] as ids 2 and 3."))
        longest = max((len(text) for pair in self.examples for text in (pair.source, pair.target)), default=0)
        if longest > MAX_EXAMPLE_CHARACTERS:
            text = _("Each side of an example must have at most {most} characters. Received: {count}")
            raise InputError(text.format(most=MAX_EXAMPLE_CHARACTERS, count=longest))

    def full_card(self) -> str:
        """Return the card in Markdown: its own or one made from what is here, above the card of its origin."""
        labels = {name: asked_of(info).label for name, info in field_infos(Description).items()}
        labelled = {label: getattr(self, name) for name, label in labels.items() if label}
        card = self.card or default_card(self.name, self.config, labelled)
        return with_origin(card, self.origin) if self.origin else card


def write_description(model: Description) -> str:
    """Return a description as JSON with sorted names, so that equal models have equal files."""
    values = TypeAdapter(Description).dump_python(model, mode="json")
    for place, later in _LATER.items():
        if values[place] is not None:
            values[place] = dict(each for each in values[place].items() if each not in later.items())
    return json.dumps(values, sort_keys=True, ensure_ascii=False, allow_nan=False)


def read_description(text: str) -> Description:
    """Return what `write_description` wrote.

    Raises:
        InputError: the text describes no model.
    """
    return read_json(Description, text)
