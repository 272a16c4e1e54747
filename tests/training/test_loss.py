import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from core.tokens.vocabulary import PAD_ID
from core.training.loss import logit_factors, summed_cross_entropy


@given(st.integers(0, 2**31 - 1), st.sampled_from([0.0, 0.1, 0.5]), st.booleans())
@settings(max_examples=20)
def test_the_loss_from_hidden_states_and_its_gradient_equal_keras_on_the_real_tokens(
    seed: int, smoothing: float, with_bias: bool
) -> None:
    random = np.random.default_rng(seed)
    hidden, matrix, bias = (
        tf.constant(random.standard_normal(shape).astype(np.float32)) for shape in ((3, 5, 8), (11, 8), (11,))
    )
    labels = random.integers(1, 11, (3, 5)).astype(np.int32)
    labels[0, 2:] = labels[1] = 0  # a short sentence, and a row that fills up the batch
    real = labels != PAD_ID
    keras_loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=smoothing)
    variables = [hidden, matrix, bias] if with_bias else [hidden, matrix]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(variables)
        output = logit_factors(hidden, matrix, bias if with_bias else None, tf.constant(labels))
        logits = tf.einsum("btd,vd->btv", hidden, matrix) + (bias if with_bias else 0.0)
        plain = keras_loss(tf.one_hot(labels, 11)[real], logits[real])
    sums, of_output = summed_cross_entropy(output, tf.constant(smoothing))
    assert float(sums.loss / sums.tokens) == pytest.approx(float(plain), rel=1e-5)
    assert float(sums.num_correct) == ((np.argmax(logits, axis=-1) == labels) & real).sum()
    assert float(sums.tokens) == real.sum()
    of_sum = tape.gradient((output.states, output.matrix), variables, output_gradients=of_output)
    gradients = zip(of_sum, map(tf.convert_to_tensor, tape.gradient(plain, variables)), strict=True)
    assert all(np.allclose(fast / sums.tokens, expected, atol=1e-6) for fast, expected in gradients)


def test_a_batch_of_pads_alone_counts_for_nothing() -> None:
    output = logit_factors(tf.ones((2, 3, 4)), tf.ones((5, 4)), None, tf.zeros((2, 3), tf.int32))
    sums, _ = summed_cross_entropy(output, 0.1)
    assert [float(each) for each in sums] == [0.0, 0.0, 0.0]
