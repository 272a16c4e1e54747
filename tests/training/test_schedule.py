import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import TrainingConfig
from core.theory.schedule import warmup_rate
from core.training.optimizer import learning_rate

WARMUP = TrainingConfig(schedule="warmup", warmup_steps=4000)


@given(st.integers(1, 100_000), st.integers(1, 1024), st.integers(1, 10_000))
def test_warmup_equals_theory_and_is_a_plain_number(step: int, d_model: int, warmup_steps: int) -> None:
    rate = learning_rate(WARMUP.replace(warmup_steps=warmup_steps), d_model, step, 100_000)
    assert type(rate) is float
    assert rate == float(warmup_rate(step, d_model, warmup_steps))


def test_linear_goes_up_then_straight_down_to_nothing() -> None:
    linear = TrainingConfig(schedule="linear", learning_rate=1.0, warmup_steps=10)
    rates = [learning_rate(linear, 64, step, total_steps=30) for step in range(1, 31)]
    assert rates[:10] == pytest.approx([step / 10 for step in range(1, 11)])
    assert rates[9:] == pytest.approx([step / 21 for step in range(21, 0, -1)])
    assert rates == [learning_rate(linear, 512, step, total_steps=30) for step in range(1, 31)]
