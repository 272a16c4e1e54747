import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.training.loss import output_layer, summed_cross_entropy

B, T, V = 3, 4, 6
LOGITS = np.random.default_rng(0).normal(0, 3, (B, T, V)).astype(np.float32)
LABELS = np.array([[4, 5, 3, 0], [2, 3, 0, 0], [1, 4, 5, 3]], np.int32)


def loss_of(logits: NDArray[np.float32], labels: NDArray[np.int32], smoothing: float = 0.0) -> float:
    """The mean loss of logits as they are: the output matrix is the identity."""
    output = output_layer(tf.constant(logits), tf.eye(V), None, tf.constant(labels))
    sums, _ = summed_cross_entropy(output, smoothing)
    return float(sums.loss) / max(float(sums.tokens), 1.0)


def plain_loss(logits: tf.Tensor, labels: NDArray[np.int32], smoothing: float) -> tf.Tensor:
    """The mean loss with one-hot vectors, which TensorFlow differentiates by itself."""
    size = logits.shape[-1]
    target = (1 - smoothing) * tf.one_hot(labels, size) + smoothing / size
    losses = -tf.reduce_sum(target * tf.nn.log_softmax(logits), axis=-1)
    return tf.reduce_sum(losses * (labels != 0)) / np.count_nonzero(labels)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_equals_keras_on_the_real_tokens(smoothing: float) -> None:
    real = LABELS != 0
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=smoothing)
    expected = float(loss(np.eye(V, dtype=np.float32)[LABELS[real]], LOGITS[real]))
    assert loss_of(LOGITS, LABELS, smoothing) == pytest.approx(expected, rel=1e-5)


def test_logits_on_pads_count_for_nothing() -> None:
    changed = LOGITS.copy()
    changed[LABELS == 0] = 1000.0
    assert loss_of(changed, LABELS, 0.1) == loss_of(LOGITS, LABELS, 0.1)


def test_rows_of_pads_alone_count_for_nothing() -> None:
    filled = np.vstack([LOGITS, LOGITS]), np.vstack([LABELS, np.zeros_like(LABELS)])
    assert loss_of(*filled) == pytest.approx(loss_of(LOGITS, LABELS))
    assert loss_of(LOGITS, np.zeros_like(LABELS)) == 0.0


def test_no_gradient_flows_into_pads() -> None:
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        output = output_layer(logits, tf.eye(V), None, tf.constant(LABELS))
    _, (of_states, _) = summed_cross_entropy(output, 0.1)
    found = tape.gradient(output.states, logits, output_gradients=of_states)
    lengths = np.abs(tf.convert_to_tensor(found).numpy()).sum(-1)
    assert np.array_equal(lengths > 0, LABELS != 0)


def test_a_model_that_knows_nothing_has_the_logarithm_of_the_vocabulary() -> None:
    assert loss_of(np.zeros((B, T, V), np.float32), LABELS) == pytest.approx(np.log(V))


@given(st.integers(0, 2**31 - 1), st.sampled_from([0.0, 0.1, 0.5]), st.booleans())
@settings(max_examples=20)
def test_the_loss_from_hidden_states_and_its_gradient_equal_the_plain_one(
    seed: int, smoothing: float, with_bias: bool
) -> None:
    random = np.random.default_rng(seed)
    hidden, matrix, bias = (
        tf.constant(random.standard_normal(shape).astype(np.float32)) for shape in ((3, 5, 8), (11, 8), (11,))
    )
    labels = random.integers(1, 11, (3, 5)).astype(np.int32)
    labels[0, 2:] = 0
    variables = [hidden, matrix, bias] if with_bias else [hidden, matrix]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(variables)
        output = output_layer(hidden, matrix, bias if with_bias else None, tf.constant(labels))
        logits = tf.einsum("btd,vd->btv", hidden, matrix) + (bias if with_bias else 0.0)
        plain = plain_loss(logits, labels, smoothing)
    sums, of_output = summed_cross_entropy(output, tf.constant(smoothing))
    assert float(sums.loss / sums.tokens) == pytest.approx(float(plain), rel=1e-5)
    hits = (np.argmax(logits, axis=-1) == labels) & (labels != 0)
    assert float(sums.hits) == hits.sum()
    assert float(sums.tokens) == np.count_nonzero(labels)
    of_sum = tape.gradient((output.states, output.matrix), variables, output_gradients=of_output)
    gradients = zip(of_sum, tape.gradient(plain, variables), strict=True)
    assert all(np.allclose(fast / sums.tokens, expected, atol=1e-6) for fast, expected in gradients)
