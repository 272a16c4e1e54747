"""The exercises of Decoding step by step."""

from __future__ import annotations

import math

from pages.components.lesson.exercise import ChoiceExercise, NumberExercise

_CHANCES = (0.5, 0.4)  # of two tokens in a row, in the exercise on adding up


def _log_of_both() -> float:
    return sum(map(math.log, _CHANCES))


GREEDY = NumberExercise(
    key="ask_two_steps",
    question=f"Two steps have the probabilities {_CHANCES[0]} and {_CHANCES[1]}. What is the log P of both together, in "
    "nats?",
    expected=_log_of_both,
    tolerance=0.02,
    help_on="Probabilities are multiplied, so their logarithms are added.",
    why="log 0.5 + log 0.4 = log 0.2. A token that is a little less likely can lead to a sentence that is likelier as a "
    "whole: that is what beam search looks for.",
)

BEAM = ChoiceExercise(
    key="ask_no_penalty",
    question="With a length penalty of 0, can continuing a sentence ever raise its score?",
    answer="No: every token makes log P lower",
    wrong={
        "Yes, if the token is very likely": "Even a probability of 0.99 has a logarithm below 0.",
        "Yes, near the end": "The score is log P itself. What does one more factor below 1 do?",
    },
    why="A length penalty above 0 divides the log P of longer sentences by more, so that they are not at a "
    "disadvantage.",
)

SAMPLING = ChoiceExercise(
    key="ask_top_one",
    question="With top-k at 1, what does the temperature change?",
    answer="Nothing at all",
    wrong={
        "Samples differ more": "How many tokens are left to draw from?",
        "Rare tokens come up": "Only the likeliest token is kept at each step.",
    },
    why="One token alone is kept, and it has all the probability. Every sample is the greedy translation.",
)
