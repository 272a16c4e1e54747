"""What the page about attention by hand says beside each of its views."""

from core.theory.attention import softmax
from core.theory.attention_steps import (
    attention_steps,
    concatenate_heads,
    multi_head_steps,
    split_heads,
)
from core.theory.fuzzy_dictionary import look_up
from core.theory.score_scale import entropy, score_scale
from pages.components.lesson import Formula, Lesson

_ATTENTION = Formula(
    r"""\begin{aligned}
    A &= \mathrm{softmax}\!\left(\frac{Q K^T}{\sqrt{d_k}}\right) \\
    \mathrm{Attention}(Q, K, V) &= A\, V
    \end{aligned}""",
    "Vaswani et al. 2017, section 3.2.1, equation 1",
)
_PROJECTIONS = Formula(r"Q = X W_Q \qquad K = X W_K \qquad V = X W_V", "Section 3.2.2, for one head")

LESSONS = {
    "dictionary": Lesson(
        notice="A dictionary compares the question with its keys and hands out the value of the one that is equal. "
        "Attention compares too, but gives every value its share: the more alike query and key, the larger. "
        "A strong query makes it an ordinary dictionary again.",
        formulas=(_ATTENTION,),
        code=(look_up,),
        question="Turn the query to 45°, half-way between hen and dog. How many legs, and why?",
        answer="About 2.8. Hen (2 legs) and dog (4 legs) get 40 % each; fish (0) and cat (4) share the rest. No animal "
        "has 2.8 legs: attention mixes, it does not choose.",
    ),
    "numbers": Lesson(
        notice="Press Next and follow one cell at a time: outlined cells go in, the filled one comes out. Each row of "
        "the softmax sums to 1, so an output always lies between the smallest and the largest value. With one "
        "number a word, d_k is 1 and dividing by its root changes nothing.",
        formulas=(_ATTENTION, _PROJECTIONS),
        code=(attention_steps, softmax),
        question="Set W_Q to 0. What happens to the softmax and to the outputs?",
        answer="All queries and so all scores are 0. Every share is the same, and every output is the plain mean of "
        "the values: with no question, everybody answers alike.",
    ),
    "vectors": Lesson(
        notice="Nothing changes but the multiplications: a score is now a sum of two products, so it is high only "
        "where query and key agree in direction. And it is divided by √2, the root of the width.",
        formulas=(_ATTENTION, _PROJECTIONS),
        code=(attention_steps, softmax),
        question="Two words are at right angles: (1, 0) and (0, 1). Why is their score 0 with the first weights?",
        answer="The first weights only stretch each number by itself. The query keeps to one axis, the key to the "
        "other, and every product has a 0 in it. Other weights could turn one towards the other.",
    ),
    "heads": Lesson(
        notice="More heads cost nothing more: the same numbers are dealt out, fewer to each. One head has one map of "
        "who looks at whom; four heads have four. Only W_O lets them speak to each other.",
        formulas=(
            Formula(
                r"""\begin{aligned}
                &\mathrm{head}_i = \mathrm{Attention}(X W_i^Q,\, X W_i^K,\, X W_i^V) \\
                &\mathrm{MultiHead} = \\
                &\quad \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O
                \end{aligned}""",
                "Vaswani et al. 2017, section 3.2.2",
            ),
        ),
        code=(multi_head_steps, split_heads, concatenate_heads),
        question="The paper's base model is 512 wide and has 8 heads. How wide is a head?",
        answer="512 / 8 = 64 numbers. With 16 heads it would be 32: more maps, each made from less.",
    ),
    "scale": Lesson(
        notice="A score is a sum of d_k products, so it spreads by √d_k. Undivided, wide queries make the softmax "
        "all but choose one key, where its gradient is almost 0 and nothing is learnt. Divided, it stays "
        "as open at any width.",
        formulas=(
            Formula(
                r"\mathrm{Var}(q \cdot k) = \sum_{i=1}^{d_k} \mathrm{Var}(q_i k_i) = d_k",
                "Vaswani et al. 2017, section 3.2.1, footnote 4",
            ),
            Formula(r"H = -\sum_j a_j \log_2 a_j", "Entropy of the shares a, in bits (Shannon 1948)"),
        ),
        code=(score_scale.__wrapped__, entropy),
        question="With 8 keys, what is the highest entropy, and when is it reached?",
        answer="3 bits = log₂ 8, when each key gets one eighth: nobody knows where to look. 0 bits means one key "
        "gets everything.",
    ),
}
