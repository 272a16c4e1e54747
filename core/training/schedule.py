from core.config import TrainingConfig
from core.theory.schedule import warmup_rate


def learning_rate(config: TrainingConfig, d_model: int, step: int) -> float:
    """The rate of one training step.

    A plain number, computed outside the compiled step and handed to it: changing the schedule compiles
    nothing anew.

    Args:
        config: names the schedule.
        d_model: width of the model, which the paper's schedule (5.3) depends on.
        step: from 1.
    """
    if config.schedule == "warmup":
        return float(warmup_rate(step, d_model, config.warmup_steps))
    return config.learning_rate
