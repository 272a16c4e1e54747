"""Learning rate schedules (Vaswani et al. 2017, section 5.3)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Doubles


def warmup_rate(step: ArrayLike, d_model: int, warmup_steps: int) -> Doubles:
    """Return the paper's rate: linear growth for `warmup_steps`, then decay with 1 / sqrt(step).

    Equation (3): rate = d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)

    Args:
        step: one step or an array of steps, counted from 1 (step 0 would divide by zero).
        d_model: D; 1 or more.
        warmup_steps: the step with the highest rate; 1 or more.

    Returns:
        Rates with the shape of `step`.
    """
    step = np.asarray(step, dtype=np.float64)
    rate = float(d_model) ** -0.5 * np.minimum(step**-0.5, step * float(warmup_steps) ** -1.5)
    return np.asarray(rate, dtype=np.float64)


def peak_rate(d_model: int, warmup_steps: int) -> float:
    """Return the highest rate of equation (3), (d_model * warmup_steps)^-0.5, reached at step `warmup_steps`.

    Args:
        d_model: D; 1 or more.
        warmup_steps: 1 or more.
    """
    return float(warmup_rate(warmup_steps, d_model, warmup_steps))


def constant_rate(step: ArrayLike, rate: float) -> Doubles:
    """Return the same rate for every step, with the shape of `step`."""
    return np.full(np.shape(step), rate, dtype=np.float64)


def linear_rate(step: ArrayLike, peak: float, warmup_steps: int, total_steps: int) -> Doubles:
    """Return a rate that rises linearly to its peak, then falls linearly to 0 after the last step.

    This schedule is not in the paper. Many later models use it, and so do the models shipped here.

    Args:
        step: one step or an array of steps, counted from 1.
        peak: the highest rate.
        warmup_steps: the step with the highest rate; 1 or more.
        total_steps: number of steps of the whole training run.

    Returns:
        Rates with the shape of `step`; 0 beyond the last step.
    """
    step = np.asarray(step, dtype=np.float64)
    growing = step / warmup_steps
    falling = (total_steps + 1 - step) / max(1, total_steps + 1 - warmup_steps)
    return np.asarray(peak * np.clip(np.minimum(growing, falling), 0.0, 1.0))


ScheduleKind = Literal["warmup", "linear", "constant"]


@dataclass(frozen=True)
class Schedule:
    """One schedule with its settings. With 0 warmup steps, the first step has the peak."""

    kind: ScheduleKind  # the paper's, linear warmup and decay, or constant
    d_model: int = 512  # for "warmup"; 1 or more
    warmup_steps: int = 4000  # for "warmup" and "linear"; 0 or more
    rate: float = 1e-3  # the peak of "linear", or the rate of "constant"

    def rates(self, step: ArrayLike, total_steps: int) -> Doubles:
        """Return the rate at each step, counted from 1; only "linear" depends on `total_steps`."""
        warmup_steps = max(1, self.warmup_steps)
        if self.kind == "warmup":
            return warmup_rate(step, self.d_model, warmup_steps)
        if self.kind == "linear":
            return linear_rate(step, self.rate, warmup_steps, total_steps)
        return constant_rate(step, self.rate)

    def peak_step(self, total_steps: int) -> int:
        """Return the step with the highest rate; the last step if the warmup is longer than the run."""
        return 1 if self.kind == "constant" else min(max(1, self.warmup_steps), total_steps)
