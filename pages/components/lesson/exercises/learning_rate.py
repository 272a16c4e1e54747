"""The exercises of the learning-rate schedule, one for each schedule."""

from __future__ import annotations

import numpy as np

from core.theory.schedule import linear_rate, peak_rate, warmup_rate
from pages.components.lesson.exercise import ChoiceExercise, NumberExercise

_D_MODEL, _WARMUP = 512, 4000  # of the paper's base model
_PERCENT = 100


def _half_of_peak() -> float:
    """The step after the peak whose rate is nearest to half of it."""
    steps = np.arange(_WARMUP, 10 * _WARMUP)
    half = peak_rate(_D_MODEL, _WARMUP) / 2
    return float(steps[np.abs(warmup_rate(steps, _D_MODEL, _WARMUP) - half).argmin()])


def _half_of_warmup() -> float:
    """The rate there, in percent of the peak."""
    return float(linear_rate(_WARMUP // 2, _PERCENT, _WARMUP, 10 * _WARMUP))


WARMUP = NumberExercise(
    key="ask_half_peak",
    question=f"The paper's base model has d_model {_D_MODEL} and {_WARMUP:,} warmup steps. At which step after the "
    "peak is its rate half the peak?",
    expected=_half_of_peak,
    tolerance=100,
    help_on="After the peak the rate falls as 1/√step. How many times as many steps make the root twice as large?",
    why="Four times as many steps halve the rate. On the way up, which is linear, it has the same rate at step 2,000.",
)

LINEAR = NumberExercise(
    key="ask_half_warmup",
    question="Half of the warmup is over. What percentage of its peak has the rate reached?",
    expected=_half_of_warmup,
    tolerance=1,
    help_on="The warmup is a straight line from 0 to the peak.",
    why="Halfway between the peak and the end it is about the same again: the curve is two straight lines.",
)

CONSTANT = ChoiceExercise(
    key="ask_no_warmup",
    question="Why does the classroom model do without a warmup?",
    answer="It is small, and its rate is low",
    wrong={
        "Its first weights are not random": "They are, as in every model before training. What would make large first "
        "steps harmless?",
        "Warmup helps no Transformer": "Large post-norm ones need it. Try ten times the rate on Train.",
    },
    why="Its rate is 0.001: 400 steps on fifteen pairs end well without one. Try ten times the rate on Train.",
)
