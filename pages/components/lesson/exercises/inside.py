"""Exercises of the page that shows what a model computes."""

from __future__ import annotations

from pages.components.lesson.exercise import ChoiceExercise

LENS = ChoiceExercise(
    key="ex_lens",
    question="At the bare embedding, before any layer, the lens says the word that the decoder has just read. Why?",
    answer="Input and output share one embedding matrix",
    wrong={
        "The decoder looks ahead": "The mask forbids that. Which matrix makes logits of a state, in a model with "
        "shared embeddings?",
        "That word is the likeliest to come next": "Words rarely repeat. Compare the first column with the row above.",
    },
    why="The state is the word's own embedding, and the product with the same matrix is highest for that word. The "
    "layers have to turn it into the next one.",
)
HEADS = ChoiceExercise(
    key="ex_heads_off",
    question="Two heads cost almost nothing, each alone. What follows for both together?",
    answer="Nothing: one may stand in for the other",
    wrong={
        "They cost almost nothing together": "Try two heads of one layer that attend to the same words.",
        "They cost twice as much together": "That would hold if each did its own work. What if both do the same?",
    },
    why="The ranking asks what one head's loss costs while all others work. Heads that do the same work look useless "
    "one by one.",
)
SOURCE = ChoiceExercise(
    key="ex_source_share",
    question="The end token takes more than half from what was said before. Is it invented?",
    answer="No: whether a sentence is complete depends on what was said",
    wrong={
        "Yes, as every word below one half": "What must the model know to end a sentence?",
        "It cannot be measured": "It is measured as every other token: read its bar.",
    },
    why="Punctuation, the end and pieces of a word lean on the translation by nature, so the page never marks them. "
    "A name or a noun that does is worth a doubt.",
)
HONEST = ChoiceExercise(
    key="ex_honest",
    question="A measure's line falls sooner than another's. What does that show?",
    answer="Its first words mattered more to this translation",
    wrong={
        "Its heatmap is the model's reason": "The test erases words. Does it ask why the model chose a word?",
        "It is the better measure for every sentence": "This is one sentence. Try three others.",
    },
    why="Erasing tests an order of words, for one sentence and one model. It says nothing about reasons, and over many "
    "sentences the order of the measures settles.",
)
PATCH = ChoiceExercise(
    key="ex_patching",
    question="One encoder state brings 100 % of the difference over. What does that show?",
    answer="That state is enough to change the word",
    wrong={
        "The model needs that state": "Needing is the reverse: take it out of the second run, and see what is lost.",
        "All other states are the same in both runs": "Look at the cells beside it: they differ and bring nothing over.",
    },
    why="Patching shows what is sufficient. Other states may hold the difference too; whether the model needs one is "
    "another experiment.",
)
