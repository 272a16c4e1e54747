"""The learning rate of each step (5.3)."""

from core.config import TrainingConfig
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
