"""Sentence pairs, and their translations."""

import math
from dataclasses import dataclass
from typing import Any

from core.records.attention import AttentionRecord

FULL_STOP = "."


@dataclass(frozen=True)
class Pair:
    """A sentence and its translation, as text."""

    source: str
    target: str


@dataclass(frozen=True)
class Candidate:
    """A token that the model could have written next."""

    token: str
    probability: float  # 0 to 1


@dataclass(frozen=True)
class Hypothesis:
    """A translation found by a search."""

    text: str
    tokens: tuple[str, ...]  # without start and end
    ids: tuple[int, ...]  # with the end id if the sentence has ended
    log_probability: float  # sum of log P(token | source, prefix), end included, nats
    score: float  # log_probability / length penalty, the search's ranking
    finished: bool  # False if the length limit cut the sentence off

    @property
    def mean_probability(self) -> float:
        """The geometric mean of its tokens' probabilities, 0 to 1."""
        return math.exp(self.log_probability / max(len(self.ids), 1))


@dataclass(frozen=True)
class Translation:
    """A sentence, its tokens, and its translations."""

    source: str
    source_tokens: tuple[str, ...]  # S
    source_ids: tuple[int, ...]  # S
    unknown: tuple[bool, ...]  # S, True for tokens that are not in the vocabulary
    hypotheses: tuple[Hypothesis, ...]  # best first; one for greedy search
    full_stop_added: bool = False  # whether a full stop was added to the source

    @property
    def read(self) -> str:
        """The source as the model reads it, with an added full stop."""
        return f"{self.source}{FULL_STOP}" if self.full_stop_added else self.source

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[0]

    @property
    def text(self) -> str:
        return self.best.text

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that the command line prints as JSON."""
        return {
            "source": self.source,
            "source_tokens": list(self.source_tokens),
            "target_tokens": list(self.best.tokens),
            "text": self.text,
            "stop_added": self.full_stop_added,
            "score": self.best.score,
            "log_probability": self.best.log_probability,
            "mean_probability": self.best.mean_probability,
            "finished": self.best.finished,
        }


@dataclass(frozen=True, eq=False)
class ExplainedTranslation:
    """A translation with what the search saw that wrote it."""

    translation: Translation
    attention: AttentionRecord
    candidates: tuple[tuple[Candidate, ...], ...]  # for each predicted token, most likely first

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that the command line prints as JSON."""
        return {**self.translation.to_dict(), "attention": self.attention.to_dict()}


@dataclass(frozen=True)
class SentenceResult:
    """One evaluated sentence, with its reference and translation."""

    number: int  # index of the pair
    source: str
    reference: str  # detokenized
    translation: str  # detokenized
    normalized_reference: str  # words and punctuation separated by spaces
    normalized_translation: str
    reference_tokens: int
    translation_tokens: int
    bleu: float  # sentence BLEU, detokenized, 0 to 100
