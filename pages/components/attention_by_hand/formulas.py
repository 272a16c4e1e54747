"""The formulas that several views show."""

from __future__ import annotations

from pages.components.lesson.explanation import Formula

ATTENTION = Formula(
    r"""\begin{aligned}
    A &= \mathrm{softmax}\!\left(\frac{Q K^T}{\sqrt{d_k}}\right) \\
    \mathrm{Attention}(Q, K, V) &= A\, V
    \end{aligned}""",
    "Vaswani et al. 2017, section 3.2.1, equation 1",
)
PROJECTIONS = Formula(r"Q = X W_Q \qquad K = X W_K \qquad V = X W_V", "Section 3.2.2, for one head")
