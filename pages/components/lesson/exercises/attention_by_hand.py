"""The exercises of Attention by hand."""

from __future__ import annotations

import numpy as np

from core.theory.attention_steps import attention_steps, split_heads
from core.theory.fuzzy_dictionary import fuzzy_look_up
from core.theory.model_size import BASE
from core.theory.score_scale import NUM_KEYS, entropy
from pages.components.lesson.exercise import ChoiceExercise, NumberExercise


def _output_without_query() -> float:
    """Of the words 1, 2 and 3 with W_Q = 0, W_K = 1 and W_V = 10."""
    return float(attention_steps([[1], [2], [3]], [[0]], [[1]], [[10]]).outputs[0, 0])


def _head_dimension() -> float:
    return split_heads(np.zeros((1, BASE.d_model)), BASE.num_heads).shape[-1]


DICTIONARY = NumberExercise(
    key="ask_legs",
    question="Turn a query of length 10 to 45°, halfway between hen and dog. How many legs, to one decimal?",
    expected=lambda: fuzzy_look_up(45, 10)[1],
    tolerance=0.05,
    help_on="It is none of the values, but a mean of all of them. Move the slider and read it off.",
    why="Hen (2 legs) and dog (4 legs) get 40% each; fish (0) and cat (4) share the rest. No animal has that many "
    "legs: attention mixes, it does not choose.",
)

NUMBERS = NumberExercise(
    key="ask_no_query",
    question="The words are 1, 2 and 3, and W_V is 10. Set W_Q to 0. What is the output of every word?",
    expected=_output_without_query,
    tolerance=0.01,
    help_on="With queries of 0, all scores are 0. What weights does the softmax give equal scores?",
    why="All queries and so all scores are 0. All attention weights are the same, and every output is the mean of the "
    "values 10, 20 and 30: a query of 0 prefers no key.",
)

VECTORS = ChoiceExercise(
    key="ask_right_angle",
    question="Two words are at right angles: (1, 0) and (0, 1). Why is their score 0 with the first weights?",
    answer="These weights only scale, so query and key stay at right angles",
    wrong={
        "Such words have the score 0 with any weights": "The score compares query and key, which the weights produce. "
        "Could weights rotate a vector?",
        "The softmax makes it 0": "The score comes before the softmax, which never gives exactly 0.",
    },
    why="The first weights only scale each number by itself. The query keeps to one axis, the key to the other, and "
    "every product has a 0 in it. Other weights could rotate one toward the other.",
)

SCALE = NumberExercise(
    key="ask_entropy",
    question=f"With {NUM_KEYS} keys, what is the highest entropy, in bits?",
    expected=lambda: float(entropy(np.full(NUM_KEYS, 1 / NUM_KEYS))),
    tolerance=0.01,
    help_on="It is highest where no key is preferred: each has the same weight. Put that into the formula.",
    why="log₂ 8, when each key gets one eighth. 0 bits means that one key gets all the attention.",
)

HEADS = NumberExercise(
    key="ask_head_width",
    question=f"The paper's base model is {BASE.d_model} wide and has {BASE.num_heads} heads. How wide is a head?",
    expected=_head_dimension,
    help_on="The heads divide the width among themselves.",
    why="512 / 8. With 16 heads it would be 32: more maps, each from fewer numbers.",
)
