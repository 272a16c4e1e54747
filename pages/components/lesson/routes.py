"""The guided path through the pages: a lesson of 10, 30 or 60 minutes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pages.components.app.menu import (
    ARCHITECTURE,
    ATTENTION_BY_HAND,
    ATTENTION_MAPS,
    CHECKPOINTS,
    DATA,
    EVALUATE,
    HOME,
    LEARNING_RATE,
    MASKS,
    PAGES,
    POSITIONAL_ENCODING,
    TEXT_AS_NUMBERS,
    TRAIN,
    TRANSLATE,
    PageEntry,
)


@dataclass(frozen=True)
class Stop:
    """One page of a lesson."""

    page: PageEntry
    minutes: int
    task: str  # what to do there


@dataclass(frozen=True)
class LessonPlan:
    """Pages in the order in which to teach them."""

    stops: tuple[Stop, ...]

    @property
    def minutes(self) -> int:
        return sum(stop.minutes for stop in self.stops)

    @property
    def path(self) -> tuple[PageEntry, ...]:
        """Home, then every stop."""
        return (HOME, *(stop.page for stop in self.stops))

    @property
    def beyond(self) -> tuple[PageEntry, ...]:
        """The pages that the lesson leaves out."""
        return tuple(page for page in PAGES if page not in self.path)

    @classmethod
    def of(cls, *stops: tuple[PageEntry, int, str]) -> Self:
        return cls(tuple(Stop(*stop) for stop in stops))


_SEE_LEARNING = "Press Start. The loss falls, and one sentence after another comes right."
_TRANSLATE = "Translate a sentence the model knows, then one you make up."
_SEE_HEADS = "Find a head in which each word attends to its translation."

LESSONS = {
    10: LessonPlan.of(
        (TRAIN, 3, _SEE_LEARNING),
        (TRANSLATE, 3, _TRANSLATE),
        (ATTENTION_MAPS, 4, _SEE_HEADS),
    ),
    30: LessonPlan.of(
        (TEXT_AS_NUMBERS, 4, "Type a word nobody knows and see it cut into subwords."),
        (POSITIONAL_ENCODING, 5, "Shuffle the words, and see what attention does not notice."),
        (ATTENTION_BY_HAND, 6, "Change one number, and follow it through all tables."),
        (MASKS, 4, "Take the padding mask away from a model."),
        (TRAIN, 4, _SEE_LEARNING),
        (TRANSLATE, 3, _TRANSLATE),
        (ATTENTION_MAPS, 4, _SEE_HEADS),
    ),
    60: LessonPlan.of(
        (TEXT_AS_NUMBERS, 6, "Go from words to ids to vectors, then do the exercise."),
        (POSITIONAL_ENCODING, 6, "Watch single waves, then shuffle the words."),
        (ATTENTION_BY_HAND, 8, "Compute one cell on paper, then check it."),
        (MASKS, 6, "Take the padding mask away, and see how the model cheats without the other."),
        (LEARNING_RATE, 4, "Find the width whose peak learning rate is half of this one."),
        (ARCHITECTURE, 6, "Open each block, then count the parameters of the paper's big model."),
        (DATA, 3, "Search for a word, and find the longest sentence."),
        (TRAIN, 6, _SEE_LEARNING),
        (TRANSLATE, 4, _TRANSLATE),
        (ATTENTION_MAPS, 5, _SEE_HEADS),
        (EVALUATE, 4, "Score twenty sentences, and read the worst of them."),
        (CHECKPOINTS, 2, "Read a model's card, and take your own model home."),
    ),
}
"""By their length in minutes; the longest goes through all pages."""
