"""The exercises of Text as numbers."""

from __future__ import annotations

from core.tokens.vocabulary import END, PAD, START, UNKNOWN
from pages.components.lesson.classroom_words import english_words
from pages.components.lesson.exercise import ChoiceExercise, NumberExercise


def _known_words() -> int:
    return len(set(english_words().vocabulary.tokens) - {PAD, UNKNOWN, START, END})


SUBWORDS = NumberExercise(
    key="ask_words",
    question=f"The classroom's English vocabulary has {len(english_words().vocabulary.tokens)} entries. How many "
    "English words can it tell apart?",
    expected=_known_words,
    help_on="Some entries are not words: `[PAD]` is one of them.",
    why="Four entries are special tokens. All words outside the vocabulary get the same id, 1. Subwords can spell any "
    "word whose letters they have, at the price of more tokens.",
)

BATCH = ChoiceExercise(
    key="ask_cut",
    question="Set the length to 4. What does a model no longer know about sentence 2, *i am a student*?",
    answer="That a student is meant, and that the sentence ends",
    wrong={
        "That a student is meant; it still sees the end": "`[END]` is a token as well. At which position is it?",
        "Nothing: only padding is cut off": "At this length sentence 2 has no padding. Count its tokens, `[START]` "
        "and `[END]` included.",
    },
    why="It reads `[START] i am a`. That a student is meant is lost, and so is `[END]`: the sentence seems to go on.",
)

TEACHER_FORCING = ChoiceExercise(
    key="ask_first_label",
    question="Why is the label of the first step not `[START]`?",
    answer="Nobody has to predict it: it is given",
    wrong={
        "It has no id": "It has one like every token: 2.",
        "The loss leaves it out": "Padding is what the loss leaves out. Where in the row of labels would `[START]` be?",
    },
    why="From `[START]` the decoder must predict the first word, and from the last word `[END]`. So both rows have one "
    "length, and one is the other shifted by one.",
)

ONE_TOKEN = ChoiceExercise(
    key="ask_root",
    question="Why is the vector multiplied by the root of the width before positions are added?",
    answer="It is then about as large as the positional encoding",
    wrong={
        "It then has the length 1": "Multiplying by the root of the width makes a vector longer. What is added to it "
        "next?",
        "The softmax then prefers no token": "That is why attention scores are divided by a root. No softmax follows "
        "here.",
    },
    why="At first the numbers in E have a variance of 1 / d_model. Times the root of d_model their variance is 1, so "
    "they are about as large as the positional encoding, and neither drowns out the other. This is one explanation: "
    "the paper multiplies by √d_model but does not say why.",
)

TENSOR = ChoiceExercise(
    key="ask_equal_rows",
    question="Step through the positions. Where are all three rows equal, whatever the sentences?",
    answer="At position 0",
    wrong={
        "At the last position": "Only where all three sentences are padded there, or end there.",
        "Nowhere: each position has vectors of its own": "Positions are not added yet. Which token does every "
        "sentence have?",
    },
    why="Every sentence has `[START]` there, and equal ids have equal vectors. The same holds wherever all three are "
    "padded. Only the positional encoding, added next, tells the same token at two positions apart.",
)
