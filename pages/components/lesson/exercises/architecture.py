"""The exercises of Architecture."""

from __future__ import annotations

from core.theory.model_size import BASE, BIG
from core.weights import parameter_count
from pages.components.lesson.exercise import ChoiceExercise, NumberExercise

_WORDS = 5  # of the translation in the exercise on decoding


def _growth() -> float:
    wider = BASE.replace(d_model=BIG.d_model, d_ff=BIG.d_ff)
    return parameter_count(wider) / parameter_count(BASE)


PICTURE = ChoiceExercise(
    key="ask_cross",
    question="Where does the decoder see the source sentence?",
    answer="In its cross-attention",
    wrong={
        "In its self-attention": "There it attends to the words it has written. Follow the line that leaves the "
        "encoder.",
        "In its embedding": "It embeds the words of the translation. Follow the line that leaves the encoder.",
    },
    why="In each decoder layer, keys and values of the cross-attention come from the encoder's output, and only the "
    "queries from the decoder. There is no other way from one to the other.",
)

FLOW = NumberExercise(
    key="ask_rounds",
    question=f"A sentence of 4 words is translated into {_WORDS}. How many times does the decoder run?",
    expected=lambda: _WORDS + 1,
    help_on="It runs once for each token that it writes. Which one comes after the last word?",
    why="Once for each word and once for the end token. In training it runs once, for all these positions at the same "
    "time.",
)

HOW_LARGE = NumberExercise(
    key="ask_growth",
    question=f"Choose the paper's base and make its width {BIG.d_model:,} and d_ff {BIG.d_ff:,}. How many times as many "
    "parameters does it have then, to one decimal?",
    expected=_growth,
    tolerance=0.06,
    help_on="Most kernels become four times as large, since both of their sides double. The embedding does not: the "
    "vocabulary stays.",
    why="From 63.1 to 214 million, the paper's big model. The kernels of the layers become four times as large, but "
    "the embedding only doubles, since the vocabulary stays. The paper gives 65 and 213 million; of its vocabulary it "
    "says only that it had about 37,000 tokens.",
)

EVERY_LAYER = ChoiceExercise(
    key="ask_no_length",
    question="Why does no weight have S or T, the sentence lengths, in its shape?",
    answer="The same weights apply to every position",
    wrong={
        "S and T are hidden in d_model": "d_model is the width of one vector, whatever the sentence. What does a kernel "
        "apply to?",
        "Such weights are left out of the table": "All that training adjusts is in it. Attention weights are not "
        "parameters: they are computed from the sentence.",
    },
    why="And attention weights are computed for each sentence. So one model reads sentences of any length. Learned "
    "positions are the exception: one row for each position.",
)

NORMS = ChoiceExercise(
    key="ask_last_norm",
    question="A pre-norm stack ends in one more norm. Why does a post-norm stack need none?",
    answer="A norm follows its last sublayer already",
    wrong={
        "Its sublayers add nothing": "They add as much as with pre-norm. What comes right after each sum?",
        "The output has a norm of its own": "The output is a linear layer and a softmax. What comes right after the "
        "last sum?",
    },
    why="With pre-norm the sums grow from layer to layer, and the last norm brings them back to one size before the "
    "output reads them.",
)
