"""Models of visitors and shipped models, with names that are safe to print and to save."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Collection
from functools import cached_property
from itertools import count

from core.checkpoints.card import paragraphs_of
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.description import MAX_NAME_CHARACTERS
from core.corpora.languages import UNKNOWN_LANGUAGE, language_name
from core.inference.translator import Translator
from core.language import _
from core.presets import CLASSROOMS
from core.records.text import Pair
from core.tokens.base import Tokenizer
from core.tokens.subword import SubwordTokenizer

_OWN_MODEL = "own-"  # prefix of the ids of models that visitors trained or opened


class TrainedModel:
    """A checkpoint with a name, ready to translate. Read-only, so sessions and threads may share it.

    Name and card of a shipped model are in the reader's language; visitors' own have the words that they were given.

    `shipped_as` is the name of a shipped model's file; visitors' own have none.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, *, shipped_as: str | None = None) -> None:
        self._own_name = tidy_name(name) or _("A model")
        self.checkpoint = checkpoint
        self.shipped = shipped_as is not None
        self.id = shipped_as or f"{_OWN_MODEL}{secrets.token_hex(6)}"

    @property
    def name(self) -> str:
        """The name for people."""
        return _(self._own_name) if self.shipped else self._own_name

    @cached_property
    def translator(self) -> Translator:
        """The translator with this model."""
        return self.checkpoint.translator()

    @property
    def is_subword(self) -> bool:
        """Whether its tokens are subwords, which can spell words that it has never seen."""
        return isinstance(self.checkpoint.source_tokenizer, SubwordTokenizer)

    @property
    def source_language(self) -> str:
        """The English name of the source language; empty if unknown."""
        return _language(self.checkpoint, self.checkpoint.source_tokenizer, 0)

    @property
    def target_language(self) -> str:
        """The English name of the target language; empty if unknown."""
        return _language(self.checkpoint, self.checkpoint.target_tokenizer, 1)

    @property
    def first_example(self) -> Pair | None:
        """The example that pages show first; of the classroom's pairs the last, which is the longest."""
        examples = self.checkpoint.examples
        return examples[0 if self.is_subword else -1] if examples else None

    @property
    def card(self) -> str:
        """The model card in Markdown."""
        card = self.checkpoint.full_card()
        return "\n\n".join(map(_, paragraphs_of(card))) if self.shipped else card

    def to_bytes(self) -> bytes:
        """Return the file of the checkpoint, with the model's name."""
        return dataclasses.replace(self.checkpoint, name=self._own_name).to_bytes()

    def renamed(self, name: str) -> TrainedModel:
        """Return the model under another name."""
        if name == self.name:
            return self
        model = TrainedModel(name, self.checkpoint)
        model.id = self.id
        return model


def _language(checkpoint: Checkpoint, tokenizer: Tokenizer, side: int) -> str:
    """Return a tokenizer's language: from its settings for subwords, else only for classroom pairs.

    Args:
        checkpoint: the model.
        tokenizer: its tokenizer of one side.
        side: 0 for the source, 1 for the target.
    """
    if isinstance(tokenizer, SubwordTokenizer):
        language = tokenizer.settings.language
        return "" if language == UNKNOWN_LANGUAGE else language_name(language)
    examples = set(checkpoint.examples)
    found = (preset.languages[side] for preset in CLASSROOMS.values() if examples <= set(preset.pairs))
    return next(found, "") if examples else ""


def tidy_name(name: str) -> str:
    """Make a name valid for checkpoints: printable and not too long."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:MAX_NAME_CHARACTERS].strip()


def unused_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if it is already taken: "Classroom", "Classroom 2"."""
    numbered = (_with_number(name, number) for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def _with_number(name: str, number: int) -> str:
    """Append a number to a name, which is cut if both together would be too long."""
    end = f" {number}"
    return f"{name[: MAX_NAME_CHARACTERS - len(end)].strip()}{end}"


def file_name(name: str) -> str:
    """Return a file name without suffix that is valid on every file system."""
    words = "".join(character if character.isalnum() else " " for character in name.lower()).split()
    return "-".join(words)
