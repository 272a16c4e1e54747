from core.config import TrainingConfig
from core.theory.schedule import Schedule


def learning_rate(config: TrainingConfig, d_model: int, step: int, total_steps: int) -> float:
    """The rate of one training step.

    A plain number, computed outside the compiled step and handed to it: changing the schedule compiles
    nothing anew.

    Args:
        config: names the schedule.
        d_model: width of the model, which the paper's schedule (5.3) depends on.
        step: from 1.
        total_steps: of the whole training; "linear" reaches 0 after them.
    """
    schedule = Schedule(config.schedule, d_model, config.warmup_steps, config.learning_rate)
    return float(schedule.rates(step, total_steps))
