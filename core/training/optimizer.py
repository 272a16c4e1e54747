"""The learning rate of each step, gradient clipping, and Adam on all P weights as one vector (5.3).

The rest of training knows an optimizer by `traced_settings`, `initial_state`, `OptimizerSettings` and `update` alone:
what the state holds is saved and given back as it is.
"""

from typing import NamedTuple, Self

import tensorflow as tf
from keras import ops

from core.config import TrainingConfig
from core.model.keras_ops import Tensor
from core.theory.schedule import Schedule

OptimizerState = dict[str, Tensor]  # by name


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


def traced_settings(config: TrainingConfig) -> TrainingConfig:
    """Return a training's settings with only what its step is compiled for: the same for all that share that step."""
    return TrainingConfig(r_drop=float(config.r_drop > 0))


class OptimizerSettings(NamedTuple):
    """The settings for one step, as scalar tensors, so that a change does not retrace the step."""

    learning_rate: Tensor
    beta_1: Tensor
    beta_2: Tensor
    epsilon: Tensor

    @classmethod
    def of(cls, config: TrainingConfig, rate: float) -> Self:
        """Return the settings of a training for a step with a learning rate."""
        return cls(rate, config.beta_1, config.beta_2, config.epsilon)


def initial_state(parameters: Tensor, config: TrainingConfig) -> OptimizerState:
    """Return the state before the first step: Adam's running averages of the gradient and of its square, (P,) each."""
    return {"first_moment": tf.zeros_like(parameters), "second_moment": tf.zeros_like(parameters)}


def clip_by_norm(gradient: Tensor, max_norm: Tensor) -> Tensor:
    """Scale a gradient (P,) down to the norm `max_norm`; infinity clips nothing."""
    norm = ops.sqrt(ops.sum(ops.square(gradient)))
    return gradient * ops.minimum(1.0, max_norm / ops.maximum(norm, 1e-12))


def update(
    parameters: Tensor,
    gradient: Tensor,
    state: OptimizerState,
    step: Tensor,
    settings: OptimizerSettings,
    config: TrainingConfig,
) -> tuple[Tensor, OptimizerState]:
    """Apply one step of Adam (Kingma & Ba 2015, algorithm 1) to all parameters as one vector (P,); steps count from 1.

    With one vector, the update is a handful of operations for any model, which makes it fast to trace and to run. The
    numbers are in `settings`; `config`, from `traced_settings`, is where an optimizer would be chosen.
    """
    rate, beta_1, beta_2, epsilon = settings
    first = beta_1 * state["first_moment"] + (1.0 - beta_1) * gradient
    second = beta_2 * state["second_moment"] + (1.0 - beta_2) * ops.square(gradient)
    unbiased_first = first / (1.0 - beta_1**step)
    unbiased_second = second / (1.0 - beta_2**step)
    parameters -= rate * unbiased_first / (ops.sqrt(unbiased_second) + epsilon)
    return parameters, {"first_moment": first, "second_moment": second}
