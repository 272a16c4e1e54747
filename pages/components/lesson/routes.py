"""The guided path through the pages: a lesson of 10, 30 or 60 minutes."""

from __future__ import annotations

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
    INSIDE,
    LEARNING_RATE,
    MASKS,
    POSITIONAL_ENCODING,
    TEXT_AS_NUMBERS,
    TRAIN,
    TRANSLATE,
)
from pages.components.lesson.plan import LessonPlan, Stop

_PICTURE = ("architecture", "picture")
_SUBWORDS = ("numbers", "subwords")
_NUMBERS = ("by_hand", "numbers")
_WITHOUT_MASK = ("masks", "without")


def _larger(workspace: Workspace) -> str | None:
    """A shipped model, unless such a one is chosen: the classroom's has memorized its pairs, and is never in doubt."""
    chosen = workspace.model
    return None if chosen is not None and chosen.is_subword else default_name()


def _own(workspace: Workspace) -> str | None:
    """What Train has made: whoever goes through a lesson again still has the shipped model of its last steps."""
    own = workspace.trained if workspace.trained in workspace.models else None
    own = own or next(reversed(workspace.models), None)
    return own.id if own else None


def _train(minutes: int) -> Stop:
    task = "Press Start. The loss falls, and more and more sentences come out right."
    return Stop(TRAIN, minutes, task)


def _translate(minutes: int) -> Stop:
    task = "The model knows the sentence in the box: see it translated. Then make one up."
    return Stop(TRANSLATE, minutes, task, ("mode", "text"), _own)


def _see_heads(minutes: int) -> Stop:
    task = "Now in a larger model: find a head in which each word attends to the word it translates."
    return Stop(ATTENTION_MAPS, minutes, task, ("view", "overview"), _larger)


def _say_instead(minutes: int) -> Stop:
    task = "Choose another word for the model, and watch what follows."
    return Stop(DECODING, minutes, task, ("search", "greedy"), _larger)


def _ask_layers(minutes: int) -> Stop:
    task = "Find the layer at which the model has decided on a word."
    return Stop(INSIDE, minutes, task, ("inside", "lens"), _larger)


LESSONS = {
    10: LessonPlan((_train(3), _translate(3), _see_heads(4))),
    30: LessonPlan(
        (
            Stop(
                ARCHITECTURE,
                2,
                "Look at the whole model once, from the words at the bottom to the predictions at the top.",
                _PICTURE,
            ),
            Stop(
                TEXT_AS_NUMBERS,
                3,
                "Type a made-up word and see it split into subwords.",
                _SUBWORDS,
            ),
            Stop(
                POSITIONAL_ENCODING,
                4,
                "Shuffle the words, and see what attention does not notice.",
                ("positions", "shuffle"),
            ),
            Stop(
                ATTENTION_BY_HAND,
                4,
                "Change one number, and follow it through all the tables.",
                _NUMBERS,
            ),
            Stop(
                MASKS,
                3,
                "Compare what a model writes with its padding mask and without.",
                _WITHOUT_MASK,
            ),
            _train(3),
            _translate(2),
            _see_heads(3),
            _say_instead(3),
            _ask_layers(3),
        )
    ),
    60: LessonPlan(
        (
            Stop(
                TEXT_AS_NUMBERS,
                5,
                "Go from words to ids to vectors, then do the exercise.",
                _SUBWORDS,
            ),
            Stop(
                POSITIONAL_ENCODING, 5, "Watch single waves, then shuffle the words.", ("positions", "waves")
            ),
            Stop(ATTENTION_BY_HAND, 7, "Compute one cell on paper, then check it.", _NUMBERS),
            Stop(
                MASKS,
                5,
                "Compare what a model writes without its padding mask, and see how it cheats without the causal mask.",
                _WITHOUT_MASK,
            ),
            Stop(LEARNING_RATE, 3, "Find the width whose peak learning rate is half this one."),
            Stop(
                ARCHITECTURE,
                5,
                "Open each block, then count the parameters of the paper's big model.",
                _PICTURE,
            ),
            Stop(DATA, 3, "Search for a word, and find the longest sentence."),
            _train(5),
            _translate(4),
            _see_heads(5),
            _say_instead(4),
            _ask_layers(4),
            Stop(EVALUATE, 3, "Set Max pairs to 20, evaluate, and read the worst translations."),
            Stop(CHECKPOINTS, 2, "Read a model's card, and take your own model home."),
        )
    ),
}
"""By their length in minutes; the longest goes through all pages."""
