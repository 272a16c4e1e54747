"""What each view of the attention maps teaches."""

from __future__ import annotations

from core.interpretability.heads import head_facts
from core.interpretability.norms import transformed_norms
from core.interpretability.rollout import rollout
from core.interpretability.words import attention_links
from core.theory.attention import scaled_dot_product_attention
from pages.components.attention_maps.map_choice import MapChoice
from pages.components.lesson.exercises import attention_maps as exercises
from pages.components.lesson.explanation import Formula, Lesson

_ATTENTION = Formula(
    r"A = \operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)",
    "Vaswani et al. 2017, equation 1: the weights A, whose rows sum to 1",
)
_NORMS = Formula(
    r"\lVert \alpha_{i,j}\, f(x_j) \rVert,\quad f(x) = (x W^V + b^V)\, W^O",
    "Kobayashi et al. 2020, equation 3: a high weight on a short vector adds little",
)
_ROLLOUT = Formula(
    r"\tilde A_l = \tfrac12 (\bar A_l + I)\, \tilde A_{l-1}",
    "Abnar & Zuidema 2020, section 3: Ā is the mean over the heads, I the residual connection, each counting one half",
)
_ALIGNMENT = Formula(
    r"a_t = \operatorname{arg\,max}_s\, \alpha_{t,s}",
    "Each written word t, with the source word s it attends to most",
)
_ENTROPY = Formula(
    r"H_i = -\sum_j \alpha_{i,j} \log_2 \alpha_{i,j}",
    "Clark et al. 2019, section 3: 0 bits when all attention is on one token",
)


_HEADS_LESSON = Lesson(
    notice="Heads differ. Some attend to the previous or the next token, some to the full stop, often because they "
    "have nothing to add. In cross-attention, look for a head in which each word attends to the word it translates.",
    formulas=(_ATTENTION,),
    code=(scaled_dot_product_attention,),
    exercise=exercises.HEADS,
)
_NORM_LESSON = Lesson(
    notice="Compare with the attention weights: a token that is bright there and dark here adds little, because its "
    "vector is short. Full stops and end tokens often fade.",
    formulas=(_ATTENTION, _NORMS),
    code=(transformed_norms,),
    exercise=exercises.NORMS,
)
_ROLLOUT_LESSON = Lesson(
    notice="A single map shows one layer. Rollout follows a written word back through all of them: in the last layer a "
    "word is made of nearly all tokens.",
    formulas=(_ROLLOUT,),
    code=(rollout,),
    exercise=exercises.ROLLOUT,
)
_ALIGNMENT_LESSON = Lesson(
    notice="The step that writes a word has not read it yet; the next step reads it. Heads differ in which of the two "
    "steps they align at. In the TED talks model, layer 2 aligns at the step that writes the word, and head 3 of "
    "layer 1 at the next one, which reads it: it looks back at what has just been translated.",
    formulas=(_ALIGNMENT,),
    code=(attention_links,),
    exercise=exercises.ALIGNMENT,
)
_FACTS_LESSON = Lesson(
    notice="Sort the table by a column. A head with one clear role has a name; most mix several roles, or show theirs "
    "in other sentences.",
    formulas=(_ENTROPY,),
    code=(head_facts,),
    exercise=exercises.FACTS,
)


def lesson_of(choice: MapChoice) -> Lesson:
    """Of a view, and of what is read in it."""
    if choice.reading.measure == "rollout" and choice.view != "words":
        return _ROLLOUT_LESSON
    if choice.view == "words":
        return _ALIGNMENT_LESSON
    if choice.view == "facts":
        return _FACTS_LESSON
    return _NORM_LESSON if choice.reading.measure == "norms" else _HEADS_LESSON
