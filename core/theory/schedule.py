"""How fast to learn, and when (Vaswani et al. 2017, section 5.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def warmup_rate(step: ArrayLike, d_model: int, warmup_steps: int) -> NDArray[np.float64]:
    """Equation (3): grow in a straight line for `warmup_steps`, then fall with 1 / sqrt(step).

    rate = d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)

    Args:
        step: one step or an array of them, counted from 1 (step 0 would divide by zero).
        d_model: width D; 1 or more.
        warmup_steps: the step with the highest rate; 1 or more.

    Returns:
        Rates in the shape of `step`.

    Raises:
        ValueError: an argument is out of its range.
    """
    step = np.asarray(step, dtype=np.float64)
    if step.size and not step.min() >= 1:
        raise ValueError(f"step must be 1 or more. Received: {step.min():g}")
    if d_model < 1:
        raise ValueError(f"d_model must be 1 or more. Received: {d_model}")
    if warmup_steps < 1:
        raise ValueError(f"warmup_steps must be 1 or more. Received: {warmup_steps}")
    rate = float(d_model) ** -0.5 * np.minimum(step**-0.5, step * float(warmup_steps) ** -1.5)
    return np.asarray(rate, dtype=np.float64)
