import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import TrainingConfig
from core.theory.schedule import warmup_rate

RANDOM = np.random.default_rng(0)
START = RANDOM.standard_normal(20).astype(np.float32)
GRADIENTS = [RANDOM.normal(0, scale, 20).astype(np.float32) for scale in (1, 0.1, 10, 1e-3, 1, 1)]
ADAM = TrainingConfig()
WARMUP = TrainingConfig(schedule="warmup", warmup_steps=4000)


@pytest.mark.parametrize(
    ("beta_1", "beta_2", "rate"), [(0.9, 0.98, 1e-3), (0.9, 0.999, 0.1), (0.0, 0.5, 1e-2)]
)
def test_equals_keras_over_several_steps(beta_1: float, beta_2: float, rate: float) -> None:
    import keras
    import tensorflow as tf

    from core.training.optimizer import OptimizerSettings, initial_state, update

    variable = keras.Variable(START)
    optimizer = keras.optimizers.Adam(rate, beta_1=beta_1, beta_2=beta_2, epsilon=1e-9)
    parameters, state = tf.constant(START), initial_state(tf.zeros(20), ADAM)
    for number, gradient in enumerate(GRADIENTS, start=1):
        optimizer.apply([tf.constant(gradient)], [variable])
        rates = OptimizerSettings(rate, beta_1, beta_2, 1e-9)
        parameters, state = update(parameters, gradient, state, float(number), rates, ADAM)
        assert np.allclose(parameters, variable.numpy(), rtol=1e-5, atol=1e-6 + 1e-4 * rate)


def test_epsilon_stands_outside_the_root_of_the_unbiased_moment() -> None:
    import tensorflow as tf

    from core.training.optimizer import OptimizerSettings, initial_state, update

    # Algorithm 1 by hand for step 1, gradient 3, epsilon 1: 0.5 * 3 / (3 + 1).
    gradient = np.full(20, 3.0, np.float32)
    nothing = initial_state(tf.zeros(20), ADAM)
    parameters, _ = update(START, gradient, nothing, 1.0, OptimizerSettings(0.5, 0.9, 0.98, 1.0), ADAM)
    assert np.allclose(START - parameters, 0.375, atol=1e-5)


@given(st.floats(0.125, 100, width=32), st.floats(0.125, 100, width=32))
def test_clipping_shortens_and_never_turns(longest: float, scale: float) -> None:
    from core.training.optimizer import clip_by_norm

    gradient = (scale * START / np.linalg.norm(START)).astype(np.float32)
    clipped = np.asarray(clip_by_norm(gradient, longest))
    assert np.linalg.norm(clipped) == pytest.approx(min(scale, longest), rel=1e-4)
    assert np.allclose(clipped / np.linalg.norm(clipped), gradient / np.linalg.norm(gradient), atol=1e-5)


def test_infinity_clips_nothing_and_a_zero_gradient_stays_zero() -> None:
    from core.training.optimizer import clip_by_norm

    assert np.array_equal(clip_by_norm(START, np.float32(np.inf)), START)
    zeros = np.zeros(3, np.float32)
    assert np.array_equal(clip_by_norm(zeros, np.float32(1)), zeros)
    assert np.array_equal(clip_by_norm(zeros, np.float32(np.inf)), zeros)


@given(st.integers(1, 100_000), st.integers(1, 1024), st.integers(1, 10_000))
def test_warmup_equals_theory_and_is_a_plain_number(step: int, d_model: int, warmup_steps: int) -> None:
    from core.training.optimizer import learning_rate

    rate = learning_rate(WARMUP.replace(warmup_steps=warmup_steps), d_model, step, 100_000)
    assert type(rate) is float
    assert rate == float(warmup_rate(step, d_model, warmup_steps))


def test_linear_goes_up_then_straight_down_to_nothing() -> None:
    from core.training.optimizer import learning_rate

    linear = TrainingConfig(schedule="linear", learning_rate=1.0, warmup_steps=10)
    rates = [learning_rate(linear, 64, step, total_steps=30) for step in range(1, 31)]
    assert rates[:10] == pytest.approx([step / 10 for step in range(1, 11)])
    assert rates[9:] == pytest.approx([step / 21 for step in range(21, 0, -1)])
    assert rates == [learning_rate(linear, 512, step, total_steps=30) for step in range(1, 31)]
