"""What the page explains of each schedule: the formula is that of the curve that is drawn."""

from __future__ import annotations

from core.theory.schedule import Schedule, ScheduleKind, constant_rate, linear_rate, warmup_rate
from pages.components.lesson.exercises import learning_rate as exercises
from pages.components.lesson.explanation import Formula, Lesson

_FIRST = "At first the weights are random and the gradients unreliable, so steps should be small. "

LESSONS: dict[ScheduleKind, Lesson] = {
    "warmup": Lesson(
        notice=f"{_FIRST}The paper's learning rate grows linearly, peaks at the end of the warmup, and then decays as "
        "1/√step. A wider model or a longer warmup lowers the peak: four times either halves it.",
        formulas=(
            Formula(
                r"""\begin{aligned}
            rate &= d_{model}^{-0.5} \cdot \min(step^{-0.5}, \\
            &\qquad step \cdot warmup^{-1.5})
            \end{aligned}""",
                "Vaswani et al. 2017, section 5.3, equation 3",
            ),
            Formula(r"rate_{max} = (d_{model} \cdot warmup)^{-0.5}", "Equation 3 at step = warmup"),
        ),
        code=(warmup_rate, Schedule.rates),
        exercise=exercises.WARMUP,
    ),
    "linear": Lesson(
        notice=f"{_FIRST}The rate grows linearly to its peak and decays linearly to 0 at the end, so the last steps are "
        "small enough to settle. Many later models use it, and so do those that come with this app.",
        formulas=(
            Formula(
                r"""\begin{aligned}
            rate &= rate_{max} \cdot \min\Big(\frac{step}{warmup}, \\
            &\qquad \frac{steps + 1 - step}{steps + 1 - warmup}\Big)
            \end{aligned}""",
                "Not in the paper; as in Devlin et al. 2019 (BERT), appendix A.2",
            ),
        ),
        code=(linear_rate, Schedule.rates),
        exercise=exercises.LINEAR,
    ),
    "constant": Lesson(
        notice="The simplest schedule: every step has the same rate. It is enough for a few pairs. In long runs the "
        "first steps are then too large for random weights, or the last ones too large to settle.",
        formulas=(Formula(r"rate = rate_{max}", "The same at every step"),),
        code=(constant_rate, Schedule.rates),
        exercise=exercises.CONSTANT,
    ),
}
