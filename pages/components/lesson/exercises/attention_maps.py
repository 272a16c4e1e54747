"""The exercises of Attention maps."""

from __future__ import annotations

from pages.components.lesson.exercise import ChoiceExercise

HEADS = ChoiceExercise(
    key="ask_by_position",
    question="Choose Encoder under Attention, and find a head that attends to the previous token. What would it do "
    "if the words were shuffled?",
    answer="Attend to whatever comes before",
    wrong={
        "Follow the word that it attended to": "Does it know the word, or only its position?",
        "Attend to all tokens alike": "Its queries and keys are made from positions too. Have those changed?",
    },
    why="It attends by position, not by meaning. *Head statistics* lists every head with the share of its attention on "
    "the previous token.",
)

NORMS = ChoiceExercise(
    key="ask_low_norm",
    question="A head puts nearly all its weight on a token with a very short vector. What does that do?",
    answer="Next to nothing is added",
    wrong={
        "The token decides what is added": "The weight is multiplied by the vector. How long is the product?",
        "The other tokens count more": "The weights sum to 1. How much is left for the others?",
    },
    why="The softmax weights must sum to 1. A head that has nothing to add puts them on a token whose vector is short.",
)

ROLLOUT = ChoiceExercise(
    key="ask_even_flow",
    question="Why does the rollout of the last layer look more even than a single head?",
    answer="It is a product of means over the heads",
    wrong={
        "The last layer attends to everything": "Look at its single heads. Are they even?",
        "Its rows are not normalized": "Each of its rows sums to 1, with the target's part.",
    },
    why="Each layer mixes what is already mixed, and heads that disagree average out.",
)

ALIGNMENT = ChoiceExercise(
    key="ask_which_step",
    question="In the TED talks model, choose layer 1 and head 3. At which step does it attend to the source of a word?",
    answer="At the next one, which reads the word",
    wrong={
        "At the one that writes it": "Follow the orange links. Do they lead to the word of their row, or of "
        "the row before?",
        "At the last one": "What is the decoder busy with at the end of the sentence?",
    },
    why="It looks at the source of the word that has just been read (as Chen et al. 2020 found in their models).",
)

FACTS = ChoiceExercise(
    key="ask_which_heads_stay",
    question="Type another sentence. Which heads keep their labels?",
    answer="Those that attend by position",
    wrong={
        "Those that attend by meaning": "Other words, other meanings. Where do such heads attend now?",
        "None: every sentence is different": "Is there a head for the previous token in both?",
    },
    why="The previous token is there in every sentence; heads that attend by meaning find other words each time.",
)
