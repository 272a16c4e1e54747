from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue

import numpy as np
import pytest
import tensorflow as tf
from numpy.typing import NDArray

from core.config import ModelConfig
from core.model.transformer import Transformer
from core.training.stateless import bound, shared_model
from core.weights import Weights
from tests.conftest import TINY, VARIANTS, random_weights

SOURCE = np.array([[4, 5, 6, 0], [8, 2, 10, 3]], np.int32)
TARGET = np.array([[2, 5, 0], [2, 8, 7]], np.int32)


def directly(config: ModelConfig, weights: Weights) -> NDArray[np.float32]:
    model = Transformer(config)
    model.assign_weights(weights)
    return np.asarray(model(SOURCE, TARGET))


def shared(config: ModelConfig, weights: Weights) -> NDArray[np.float32]:
    model = shared_model(config)
    with bound(model, [tf.constant(array) for array in weights.values()]):
        return np.asarray(model(SOURCE, TARGET))


@pytest.mark.slow
@pytest.mark.parametrize("config", VARIANTS)
def test_computes_with_the_weights_it_is_given(config: ModelConfig) -> None:
    for seed in (1, 2, 1):
        weights = random_weights(config, seed)
        assert np.allclose(shared(config, weights), directly(config, weights), atol=1e-5)


@pytest.mark.slow
def test_two_threads_never_mix_their_weights() -> None:
    weights = [random_weights(TINY, seed) for seed in range(4)]
    expected = [directly(TINY, each) for each in weights]
    with ThreadPoolExecutor(4) as pool:
        received = list(pool.map(lambda n: shared(TINY, weights[n % 4]), range(24)))
    for n, logits in enumerate(received):
        assert np.allclose(logits, expected[n % 4], atol=1e-5)


def test_a_thread_waits_until_another_has_its_weights_no_longer() -> None:
    weights = [tf.constant(array) for array in random_weights(TINY).values()]
    model, entered = shared_model(TINY), SimpleQueue[bool]()

    def enter() -> None:
        with bound(model, weights):
            entered.put(True)

    with ThreadPoolExecutor(1) as pool:
        with bound(model, weights):
            other = pool.submit(enter)
            with pytest.raises(Empty):
                entered.get(timeout=0.3)
        other.result()
    assert entered.get(timeout=0)


def test_too_few_weights_are_refused() -> None:
    weights = [tf.constant(array) for array in random_weights(TINY).values()]
    with pytest.raises(ValueError, match="shorter"), bound(shared_model(TINY), weights[:-1]):
        pass


def test_gradients_reach_every_weight() -> None:
    weights = [tf.constant(array) for array in random_weights(TINY).values()]
    with tf.GradientTape() as tape:
        tape.watch(weights)
        model = shared_model(TINY)
        with bound(model, weights):
            logits = model(SOURCE, TARGET)
    assert all(gradient is not None for gradient in tape.gradient(logits, weights))


@pytest.mark.slow
def test_dropout_depends_on_the_seed_alone() -> None:
    config = TINY.replace(dropout_rate=0.5)
    weights = [tf.constant(array) for array in random_weights(config).values()]

    def logits(*seed: int) -> NDArray[np.float32]:
        model = shared_model(config)
        with bound(model, weights, tf.constant(seed, tf.int64)):
            return np.asarray(model(SOURCE, TARGET, training=True))

    assert np.array_equal(logits(1, 2), logits(1, 2))
    assert not np.allclose(logits(1, 2), logits(1, 3))
    assert not np.allclose(logits(1, 2), logits(2, 2))


def test_one_model_a_config_that_holds_no_numbers() -> None:
    model = shared_model(TINY)
    shared(TINY, random_weights(TINY, 4))
    assert shared_model(TINY.replace()) is model
    assert all(variable._value is None for variable in model.variables_by_name().values())
