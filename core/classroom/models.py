"""Models of visitors and those that come with the project, with names safe to print and to save."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Collection
from functools import cached_property
from itertools import count
from pathlib import Path

from core.checkpoints.checkpoint import MAX_NAME_CHARACTERS, Checkpoint, name_with
from core.checkpoints.shipped import FIRST
from core.classroom.settings import server_settings
from core.corpora.catalogue import CORPORA
from core.corpora.corpus import LANGUAGE_NAMES
from core.corpora.toy import PAIRS
from core.inference.translator import Translator
from core.records import Pair
from core.tokens.base import Tokenizer
from core.tokens.subword import SubwordTokenizer

_CLASSROOM = CORPORA["toy"]
OWN_MODEL = "own-"  # begins the ids of models that visitors trained or opened


class TrainedModel:
    """A checkpoint with a name, ready to translate. Read-only, so sessions and threads may share it.

    Args:
        name: for people.
        checkpoint: the model.
        shipped_as: its folder's name where it comes with the project; None for what people made or opened.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, *, shipped_as: str | None = None) -> None:
        self.name = tidy_name(name) or "A model"
        self.checkpoint = checkpoint
        self.shipped = shipped_as is not None
        self.id = shipped_as or f"{OWN_MODEL}{secrets.token_hex(6)}"

    @cached_property
    def translator(self) -> Translator:
        """What pages translate with."""
        return self.checkpoint.translator()

    @property
    def is_subword(self) -> bool:
        """Whether its tokens are subwords, so that it can spell words it has never seen."""
        return isinstance(self.checkpoint.source_tokenizer, SubwordTokenizer)

    @property
    def source_language(self) -> str:
        """The language it reads, in English; empty where the checkpoint does not say."""
        return _language(self.checkpoint, self.checkpoint.source_tokenizer, _CLASSROOM.source_language)

    @property
    def target_language(self) -> str:
        """The language it writes, in English; empty where the checkpoint does not say."""
        return _language(self.checkpoint, self.checkpoint.target_tokenizer, _CLASSROOM.target_language)

    @property
    def first_example(self) -> Pair | None:
        """What a page shows before anybody has typed: of the classroom's pairs the last, which is the longest."""
        examples = self.checkpoint.examples
        return examples[0 if self.is_subword else -1] if examples else None

    @property
    def card(self) -> str:
        """What is known of it, as Markdown: its maker's card, or one written from the rest."""
        return self.checkpoint.card or self.checkpoint.default_card()

    def to_zip(self) -> bytes:
        """The checkpoint as a zip that bears the name."""
        return dataclasses.replace(self.checkpoint, name=self.name).to_zip()

    def renamed(self, name: str) -> TrainedModel:
        """The same model under another name."""
        if name == self.name:
            return self
        model = TrainedModel(name, self.checkpoint)
        model.id = self.id
        return model


def _language(checkpoint: Checkpoint, tokenizer: Tokenizer, of_classroom: str) -> str:
    """Subwords name their language; words have none, but those of classroom pairs."""
    if isinstance(tokenizer, SubwordTokenizer):
        code = tokenizer.settings.language
    else:
        examples = set(checkpoint.examples)
        code = of_classroom if examples and examples <= set(PAIRS) else ""
    return LANGUAGE_NAMES.get(code, code)


def default_name() -> str:
    """The shipped model that comes first on this server."""
    return server_settings().default_model or FIRST


def open_shipped(name: str, folder: Path) -> TrainedModel:
    """Open one shipped model."""
    checkpoint = Checkpoint.load(folder)
    return TrainedModel(checkpoint.name or name, checkpoint, shipped_as=name)


def tidy_name(name: str) -> str:
    """A name as checkpoints take it: printable characters, not too many."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:MAX_NAME_CHARACTERS].strip()


def unused_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number where another has it already: "Classroom", "Classroom 2"."""
    numbered = (name_with(name, str(number)) for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def file_name(name: str) -> str:
    """A name every file system takes, without an ending."""
    words = "".join(character if character.isalnum() else " " for character in name.lower()).split()
    return "-".join(words)
