"""Exercises about making and using models."""

from __future__ import annotations

import math

from core.presets import CLASSROOM
from core.theory.attention import softmax
from core.weights import parameter_count
from pages.components.lesson.exercise import ChoiceExercise, NumberExercise

_PAIRS, _BATCH, _EPOCHS = 100, 32, 10
_LENGTHS = (3, 5, 20)  # of the sentences in the exercise on padding


def _steps() -> float:
    return _EPOCHS * math.ceil(_PAIRS / _BATCH)


def _added_by_heads() -> float:
    model = CLASSROOM.model
    return parameter_count(model.replace(num_heads=2 * model.num_heads)) - parameter_count(model)


TRAIN_STEPS = NumberExercise(
    key="ask_steps",
    question=f"A model is trained on {_PAIRS} pairs in batches of {_BATCH}, for {_EPOCHS} epochs. How many steps is "
    "that?",
    expected=_steps,
    help_on="An epoch is one pass over all pairs, and the last batch of it may be smaller. How many batches is that?",
    why="Each epoch has four batches: three of 32 pairs, and one of the last 4.",
)

TRAIN_BY_HEART = ChoiceExercise(
    key="ask_by_heart",
    question="The loss is almost 0, but a sentence that you make up is translated wrongly. Why?",
    answer="It has memorized its sentences",
    wrong={
        "It needs more epochs": "There is almost no loss left to learn from. Which sentences has it seen?",
        "Its learning rate is too low": "Then the loss would not have fallen. Which sentences has it seen?",
    },
    why="With fifteen pairs that is the easiest way to a low loss. Other sentences need a model trained on many "
    "thousands.",
)

TRANSLATE_GREEDY = ChoiceExercise(
    key="ask_greedy",
    question="Which token does greedy decoding take at each step?",
    answer="The most probable next one",
    wrong={
        "One drawn at random, according to its probability": "That is sampling. Greedy decoding gives the same "
        "translation each time.",
        "The next one of the most probable sentence": "It would have to know how every sentence continues. Beam search "
        "comes closer to that.",
    },
    why="It never goes back, so it can miss a sentence that begins less well and ends better. Beam search keeps "
    "several hypotheses.",
)

TRANSLATE_END = ChoiceExercise(
    key="ask_end",
    question="When does a translation end?",
    answer="When the decoder predicts `[END]`",
    wrong={
        "When it has as many words as the source": "*merci* becomes *thank you*. Who knows that it is complete?",
        "When there is a full stop": "Fifteen sentences without one end well. What comes last in their labels?",
    },
    why="The end token is a prediction like any other. A length limit ends those that never reach it.",
)

MAPS_TRIANGLE = ChoiceExercise(
    key="ask_triangle_map",
    question="Which attention maps are always a triangle?",
    answer="The decoder's self-attention maps",
    wrong={
        "The cross-attention maps": "Each word of the translation may attend to the whole source sentence.",
        "The encoder's self-attention maps": "The encoder reads its whole sentence at once. From whom is the future "
        "hidden?",
    },
    why="The causal mask hides what is not written yet. Nothing of the source sentence is hidden.",
)

MAPS_ROW = NumberExercise(
    key="ask_row_sum",
    question="What do the attention weights in one row of a map sum to?",
    expected=lambda: float(softmax([2.0, 0.5, -1.0]).sum()),
    tolerance=0.001,
    help_on="A row is the output of a softmax.",
    why="A row says how one position divides its attention; the softmax makes it so. A column may have any sum.",
)

MORE_HEADS = NumberExercise(
    key="ask_more_heads",
    question="You double the number of heads and keep d_model. How many parameters are added?",
    expected=_added_by_heads,
    help_on="All heads together are as wide as before, so how wide is each one then?",
    why="Each head becomes half as wide, and all kernels keep their shapes. Only (B, H, S, K) and (B, H, S, S) change.",
)

EVALUATE_UNSEEN = ChoiceExercise(
    key="ask_unseen",
    question="Why is a model scored on sentences that it was not trained on?",
    answer="It may have memorized the others",
    wrong={
        "The others are too easy": "They were no easier before it trained on them. What changed?",
        "The others have no reference": "Every pair of a corpus has one. What does the model know of them?",
    },
    why="The question is what it has learned about the language. A model that has only memorized scores high where it "
    "was trained, and fails elsewhere.",
)

DATA_PADDING = NumberExercise(
    key="ask_padding",
    question="A batch has sentences of 3, 5 and 20 tokens. What percentage of it is padding?",
    expected=lambda: 100 * (1 - sum(_LENGTHS) / (len(_LENGTHS) * max(_LENGTHS))),
    tolerance=1.0,
    help_on="Each row gets as many positions as the longest sentence has. How many is that in all, and how many of "
    "them are words?",
    why="Each row gets 20 positions, 60 in all; 28 are words. 32 of 60 are padding.",
)
