"""The guided path through the pages: a lesson of 10, 30 or 60 minutes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from core.classroom.shipped_models import default_name
from core.classroom.workspace import Workspace
from pages.components.app.menu import (
    ARCHITECTURE,
    ATTENTION_BY_HAND,
    ATTENTION_MAPS,
    CHECKPOINTS,
    DATA,
    DECODING,
    EVALUATE,
    HOME,
    INSIDE,
    LEARNING_RATE,
    MASKS,
    PAGES,
    POSITIONAL_ENCODING,
    TEXT_AS_NUMBERS,
    TRAIN,
    TRANSLATE,
    PageEntry,
    is_shown,
)

Parameter = tuple[str, str]
"""Of an address: name and value."""
StopView = Parameter | Callable[[Workspace], Parameter | None]


@dataclass(frozen=True)
class Stop:
    """One page of a lesson."""

    page: PageEntry
    minutes: int
    task: str  # what to do there
    view: StopView | None = None  # where the task needs another one than the first

    def query(self, workspace: Workspace) -> list[Parameter]:
        """What the address of its page says, for the tab that holds the workspace."""
        view = self.view(workspace) if callable(self.view) else self.view
        return [] if view is None else [view]


@dataclass(frozen=True)
class LessonPlan:
    """Pages in the order in which to teach them."""

    stops: tuple[Stop, ...]

    @property
    def minutes(self) -> int:
        return sum(stop.minutes for stop in self.stops)

    @property
    def shown(self) -> tuple[Stop, ...]:
        """The stops at pages that this server shows."""
        return tuple(stop for stop in self.stops if is_shown(stop.page))

    @property
    def path(self) -> tuple[PageEntry, ...]:
        """Home, then every stop that this server shows."""
        return (HOME, *(stop.page for stop in self.shown))

    def place(self, page: PageEntry) -> int | None:
        """Which step a page is, from 0, Home; None where the lesson leaves it out."""
        return self.path.index(page) if page in self.path else None

    @property
    def beyond(self) -> tuple[PageEntry, ...]:
        """The pages that the lesson leaves out."""
        return tuple(page for page in PAGES if page not in self.path and is_shown(page))

    @classmethod
    def of(cls, *stops: tuple[PageEntry, int, str] | tuple[PageEntry, int, str, StopView]) -> Self:
        return cls(tuple(Stop(*stop) for stop in stops))


_SEE_LEARNING = "Press Start. The loss falls, and more and more sentences come out right."
_TRANSLATE = "The model knows the sentence in the box: see it translated. Then make one up."
_SEE_HEADS = "Find a head in which each word attends to the word it translates."
_SAY_INSTEAD = "Choose another word for the model, and watch what follows."
_ASK_LAYERS = "Find the layer at which the model has decided on a word."


def _shipped(workspace: Workspace) -> Parameter:
    """A trained model: the classroom one has memorized its fifteen pairs, is never in doubt, and aligns few words."""
    return "model", default_name()


def _own(workspace: Workspace) -> Parameter | None:
    """What Train has made: whoever goes through a lesson again still has the shipped model of its last steps."""
    own = workspace.trained if workspace.trained in workspace.models else None
    own = own or next(reversed(workspace.models), None)
    return ("model", own.id) if own else None


LESSONS = {
    10: LessonPlan.of(
        (TRAIN, 3, _SEE_LEARNING),
        (TRANSLATE, 3, _TRANSLATE, _own),
        (ATTENTION_MAPS, 4, _SEE_HEADS, _shipped),
    ),
    30: LessonPlan.of(
        (
            ARCHITECTURE,
            2,
            "Look at the whole model once, from the words at the bottom to the predictions at the top.",
        ),
        (TEXT_AS_NUMBERS, 3, "Type a made-up word and see it split into subwords."),
        (
            POSITIONAL_ENCODING,
            4,
            "Shuffle the words, and see what attention does not notice.",
            ("positions", "shuffle"),
        ),
        (ATTENTION_BY_HAND, 4, "Change one number, and follow it through all the tables."),
        (MASKS, 3, "Compare what a model writes with its padding mask and without.", ("masks", "without")),
        (TRAIN, 3, _SEE_LEARNING),
        (TRANSLATE, 2, _TRANSLATE, _own),
        (ATTENTION_MAPS, 3, _SEE_HEADS, _shipped),
        (DECODING, 3, _SAY_INSTEAD, _shipped),
        (INSIDE, 3, _ASK_LAYERS, _shipped),
    ),
    60: LessonPlan.of(
        (TEXT_AS_NUMBERS, 5, "Go from words to ids to vectors, then do the exercise."),
        (POSITIONAL_ENCODING, 5, "Watch single waves, then shuffle the words.", ("positions", "waves")),
        (ATTENTION_BY_HAND, 7, "Compute one cell on paper, then check it."),
        (
            MASKS,
            5,
            "Compare what a model writes without its padding mask, and see how it cheats without the causal mask.",
            ("masks", "without"),
        ),
        (LEARNING_RATE, 3, "Find the width whose peak learning rate is half this one."),
        (ARCHITECTURE, 5, "Open each block, then count the parameters of the paper's big model."),
        (DATA, 3, "Search for a word, and find the longest sentence."),
        (TRAIN, 5, _SEE_LEARNING),
        (TRANSLATE, 4, _TRANSLATE, _own),
        (ATTENTION_MAPS, 5, _SEE_HEADS, _shipped),
        (DECODING, 4, _SAY_INSTEAD, _shipped),
        (INSIDE, 4, _ASK_LAYERS, _shipped),
        (EVALUATE, 3, "Set Max pairs to 20, evaluate, and read the worst translations."),
        (CHECKPOINTS, 2, "Read a model's card, and take your own model home."),
    ),
}
"""By their length in minutes; the longest goes through all pages."""
