"""A person's translated texts, for pages to show."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig
from core.inference.texts import TextTranslation
from core.records import Translation, ValueNorms


@dataclass(frozen=True)
class Answer:
    """A translated text, with what was asked for; one of its sentences comes with its attention."""

    model: TrainedModel
    text: str
    decoding: DecodingConfig
    whole: TextTranslation
    seconds: float  # that translating took
    number: int = 0  # of the sentence that is explained, from 0
    explained: Translation | None = None  # that sentence with its attention
    norms: ValueNorms | None = None  # of its values, once asked for

    @property
    def sentence(self) -> Translation:
        """The sentence that the page is about."""
        return self.explained or self.whole.sentences[self.number]

    def about(self, number: int) -> Answer:
        """The same answer about another sentence."""
        return self if number == self.number else replace(self, number=number, explained=None, norms=None)

    def with_explained(self, explained: Translation) -> Answer:
        """The same answer with its sentence explained."""
        return replace(self, explained=explained)


@dataclass(frozen=True)
class Line:
    """One text and its translation."""

    source: str
    translation: str
    score: float | None  # mean over its sentences; None where there was nothing to translate
    is_unsure: bool = False  # the model hardly believes one of its sentences


@dataclass(frozen=True)
class LinesAnswer:
    """Many texts, translated."""

    model: TrainedModel
    decoding: DecodingConfig
    lines: tuple[Line, ...]
    seconds: float
