"""The learning rate of each step, gradient clipping, and Adam on all P weights as one vector (5.3)."""

from typing import NamedTuple

from keras import ops

from core.config import TrainingConfig
from core.model.attention import Tensor
from core.theory.schedule import Schedule


def learning_rate(config: TrainingConfig, d_model: int, step: int, total_steps: int) -> float:
    """Return the learning rate of one training step.

    It is a plain number, an argument of the compiled step, so a change of the schedule does not retrace the step.

    Args:
        config: has the schedule's name and settings.
        d_model: D, which the paper's schedule depends on.
        step: number of the step, from 1.
        total_steps: number of steps of the whole run, after which "linear" reaches 0.
    """
    schedule = Schedule(config.schedule, d_model, config.warmup_steps, config.learning_rate)
    return float(schedule.rates(step, total_steps))


class Moments(NamedTuple):
    """Adam's running averages of the gradient and of its square."""

    first: Tensor  # (P,)
    second: Tensor  # (P,)


class AdamSettings(NamedTuple):
    """Adam's settings for one step, as scalar tensors, so that a change does not retrace the step."""

    learning_rate: Tensor
    beta_1: Tensor
    beta_2: Tensor
    epsilon: Tensor


def clip_by_norm(gradient: Tensor, max_norm: Tensor) -> Tensor:
    """Scale a gradient (P,) down to the norm `max_norm`; infinity clips nothing."""
    norm = ops.sqrt(ops.sum(ops.square(gradient)))
    return gradient * ops.minimum(1.0, max_norm / ops.maximum(norm, 1e-12))


def adam(
    parameters: Tensor, gradient: Tensor, moments: Moments, step: Tensor, settings: AdamSettings
) -> tuple[Tensor, Moments]:
    """Apply one step of Adam (Kingma & Ba 2015, algorithm 1) to all parameters as one vector (P,); steps count from 1.

    With one vector, the update is a handful of operations for any model, which makes it fast to trace and to run.
    """
    first = settings.beta_1 * moments.first + (1.0 - settings.beta_1) * gradient
    second = settings.beta_2 * moments.second + (1.0 - settings.beta_2) * ops.square(gradient)
    unbiased_first = first / (1.0 - settings.beta_1**step)
    unbiased_second = second / (1.0 - settings.beta_2**step)
    update = settings.learning_rate * unbiased_first / (ops.sqrt(unbiased_second) + settings.epsilon)
    return parameters - update, Moments(first, second)
