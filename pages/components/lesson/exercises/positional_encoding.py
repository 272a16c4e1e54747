"""The exercises of Positional encoding."""

from __future__ import annotations

from core.theory.positional_encoding import dot_products, sinusoidal_encoding
from pages.components.lesson.exercise import ChoiceExercise, NumberExercise

_WIDTH = 64  # of the exercise on dot products
_POSITION = 10  # any position has the same peak


def _first_row() -> str:
    """How the encoding of position 0 begins."""
    return ", ".join(f"{value:g}" for value in sinusoidal_encoding(1, 4)[0]) + ", …"


def _peak() -> float:
    return float(dot_products(sinusoidal_encoding(2 * _POSITION, _WIDTH), _POSITION).max())


HEATMAP = ChoiceExercise(
    key="ask_first_row",
    question="What does the row of position 0 look like, whatever the width?",
    answer=_first_row(),
    wrong={
        "0, 0, 0, 0, …": "The sine of 0 is 0. And the cosine of 0?",
        "1, 0, 1, 0, …": "The paper begins with a sine. What is the sine of 0?",
    },
    why="The sine of 0 is 0 and the cosine of 0 is 1, in every pair of channels. Concatenated: first all zeros, then "
    "all ones.",
)

WAVES = ChoiceExercise(
    key="ask_two_waves",
    question="Channels 0 and 1 have the same wavelength. Why does a model need both?",
    answer="One wave has most values twice; the two together do not",
    wrong={
        "Half of the heads read sines, half cosines": "Each head reads all channels, by its own weights. Look at one "
        "wave: where does it have the value 0.5?",
        "The cosine goes further before it repeats": "Both repeat after the same number of positions. Look at one "
        "wave: where does it have the value 0.5?",
    },
    why="A sine alone takes most of its values twice per wave, once rising and once falling. Sine and cosine together "
    "are a point on a circle, a different one at each phase. And with both, the encoding of a position k further on is "
    "a rotation by a fixed angle, a linear map that weights can learn (section 3.5).",
)

DOT_PRODUCTS = NumberExercise(
    key="ask_peak",
    question=f"How high is the peak for a width of {_WIDTH}?",
    expected=_peak,
    tolerance=0.01,
    help_on="At the peak the distance is 0. What does each pair of channels add there, and how many pairs are there?",
    why="Half the width: at distance 0 each pair of channels adds cos 0 = 1.",
)

SHUFFLE = ChoiceExercise(
    key="ask_equal_maps",
    question="Write a sentence in which no word is repeated, and set Shuffle to 0. Which maps are equal now?",
    answer="Each one and its shuffled one",
    wrong={
        "All four": "The lower ones have positions added to the words. Does that change anything here?",
        "None": "Shuffle 0 leaves the words in their order. Compare left and right.",
    },
    why="Nothing was shuffled. The upper and the lower ones still differ, since the positions were added in the lower "
    "ones.",
)

LEARNED = ChoiceExercise(
    key="ask_table_ends",
    question="A model learned positions 0 to 31. What happens to a sentence of 40 tokens?",
    answer="It must be cut: there are no more rows",
    wrong={
        "Nothing: the next vectors follow from the first": "That is so where a formula makes the vectors. These are "
        "rows of a table.",
        "The last 8 tokens get the vector 0": "That would be a vector like any other, which nobody has learned. How "
        "many rows does the table have?",
    },
    why="The learned table ends at position 31. Sinusoids go on: their formula gives a vector for any position, though "
    "the model has not been trained on it.",
)
