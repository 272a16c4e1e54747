"""Exercises of the page that shows what a model computes."""

from __future__ import annotations

from pages.components.lesson.exercise import ChoiceExercise

LENS = ChoiceExercise(
    key="ask_lens",
    question="At the embedding, before any layer, the lens predicts the word that the decoder has just read. Why?",
    answer="Input and output share one embedding matrix",
    wrong={
        "The decoder looks ahead": "The mask prevents that. Which matrix turns a state into logits, in a model with "
        "tied embeddings?",
        "That word is the likeliest to come next": "Words rarely repeat. Compare the first column with the row above.",
    },
    why="The state is the word's own embedding, and the product with the same matrix is usually highest for that word. "
    "The layers have to turn it into the next one.",
)
HEADS = ChoiceExercise(
    key="ask_heads_off",
    question="Switching off either of two heads costs almost nothing. What follows for switching off both?",
    answer="Nothing: one may stand in for the other",
    wrong={
        "They cost almost nothing together": "Try two heads of one layer that attend to the same words.",
        "They cost twice as much together": "That would hold if each did its own work. What if both do the same?",
    },
    why="The map measures what switching off one head costs while all others work. Heads that do the same work "
    "look useless one by one.",
)
SOURCE = ChoiceExercise(
    key="ask_source_share",
    question="More than half of the end token comes from the prefix. Is it hallucinated?",
    answer="No: whether a sentence is complete depends on the prefix",
    wrong={
        "Yes, like every word below one half": "What must the model know to end a sentence?",
        "It cannot be measured": "It is measured like every other token: read its bar.",
    },
    why="Punctuation, the end token and the later subwords of a word naturally depend on the prefix, so the page never "
    "marks them. A name or a noun that does is suspect.",
)
HONEST = ChoiceExercise(
    key="ask_honest",
    question="A measure's line falls sooner than another's. What does that show?",
    answer="The words it ranks first mattered more to this translation",
    wrong={
        "It shows the model's reasons": "The test erases words. Does it ask why the model chose a word?",
        "It is the better measure for every sentence": "This is one sentence. Try three others.",
    },
    why="Erasing tests an order of words, for one sentence and one model. It says nothing about reasons, and over many "
    "sentences the order of the measures settles.",
)
PATCH = ChoiceExercise(
    key="ask_patching",
    question="One encoder state brings 100% of the difference over. What does that show?",
    answer="That state is enough to change the word",
    wrong={
        "The model needs that state": "To test that, take the state out of the second run, and see what is lost.",
        "All other states are the same in both runs": "Look at the cells beside it: they differ and bring nothing over.",
    },
    why="Patching shows what is sufficient. Other states may hold the difference too; whether the model needs one is "
    "another experiment.",
)
