"""The exercises of Masks."""

from __future__ import annotations

import numpy as np

from core.theory.attention import masked_softmax
from core.theory.masks import answers_in_sight, causal_mask
from core.theory.untrained_head import untrained_scores
from pages.components.lesson.exercise import ChoiceExercise, NumberExercise

_LENGTH = 10  # positions, in the exercises on the triangle and on copying


def _first_weight() -> float:
    """What the first of four tokens gives itself behind a causal mask."""
    scores = untrained_scores(("[START]", "i", "am", "tired"))
    return float(masked_softmax(scores, causal_mask(len(scores)))[0, 0])


PADDING = ChoiceExercise(
    key="ask_no_padding",
    question="Make all three sentences equally long. What happens to the mask?",
    answer="It is open everywhere and changes nothing",
    wrong={
        "It blocks everything": "A position is blocked where the id is 0. Where is that now?",
        "There is none: nothing is padding": "It is made from the ids, whatever they are. What does it say for each?",
    },
    why="It is True everywhere: there is no padding.",
)

CAUSAL = NumberExercise(
    key="ask_triangle",
    question=f"How many positions are open in a causal mask of length {_LENGTH}?",
    expected=lambda: float(causal_mask(_LENGTH).sum()),
    help_on="The first row has 1 open position, the second 2, and so on. Add them up, or set the length and subtract.",
    why="1 + 2 + … + 10. For length n it is n (n + 1) / 2, a little more than half.",
)

COMBINED = ChoiceExercise(
    key="ask_pad_rows",
    question="Compare the last two pictures row by row. In which rows do they differ?",
    answer="Only in the rows of padding tokens",
    wrong={
        "In all rows": "Look at the first row. Is there padding that the triangle leaves open?",
        "Only in the rows of words": "A word comes before all padding, so what does the triangle do with the padding?",
    },
    why="A word comes before all padding, so the triangle hides the padding from it anyway. With padding at the front "
    "of a sentence this would be different.",
)

SOFTMAX = NumberExercise(
    key="ask_first_weight",
    question="Only `[START]` is written so far. With the causal mask, what is its attention weight to itself, whatever "
    "the scores?",
    expected=_first_weight,
    tolerance=0.001,
    help_on="How many positions are open to it, and what do the weights of a row sum to?",
    why="It is the only open position, so all of the attention goes there: the others get 0.",
)

WITHOUT_PADDING = ChoiceExercise(
    key="ask_learn_mask",
    question="Could the model not learn by itself to ignore padding?",
    answer="In part, but not exactly",
    wrong={
        "No: padding looks like words to it": "Padding has an id and a vector of its own, which a model can learn to "
        "give little attention.",
        "Yes, as well as with a mask": "Learned weights are small, but never exactly 0. And with more padding than it "
        "has seen?",
    },
    why="It would spend capacity on that, and with more padding than it has seen in training its translations would "
    "still change. A mask is exact and costs almost nothing.",
)

CHEATING = NumberExercise(
    key="ask_copies",
    question=f"A translation has {_LENGTH - 1} words and no padding. Without the causal mask, how many of the decoder's "
    f"{_LENGTH} answers are in sight?",
    expected=lambda: float(answers_in_sight(np.ones((_LENGTH, _LENGTH), np.bool_))),
    help_on="The last answer is `[END]`. Does it occur anywhere in the decoder's input?",
    why="All but `[END]`: it is the label of the last word, and nothing follows that word in the decoder's input. In a "
    "batch with longer sentences the row would be padded, its input would hold `[END]` too, and even that could be "
    "copied.",
)
