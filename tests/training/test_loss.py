import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrays import Floats
from core.model.numpy_ops import softmax
from core.tokens.vocabulary import PAD_ID


@pytest.mark.slow
@given(st.integers(0, 2**31 - 1), st.sampled_from([0.0, 0.1, 0.5]), st.booleans())
@settings(max_examples=20)
def test_the_loss_from_hidden_states_and_its_gradient_equal_keras_on_the_real_tokens(
    seed: int, smoothing: float, with_bias: bool
) -> None:
    import keras
    import tensorflow as tf

    from core.training.loss import logit_factors, summed_cross_entropy

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
    import tensorflow as tf

    from core.training.loss import logit_factors, summed_cross_entropy

    output = logit_factors(tf.ones((2, 3, 4)), tf.ones((5, 4)), None, tf.zeros((2, 3), tf.int32))
    sums, _ = summed_cross_entropy(output, 0.1)
    assert [float(each) for each in sums] == [0.0, 0.0, 0.0]


@pytest.mark.slow
@given(st.integers(0, 2**31 - 1), st.floats(0.0, 3.0))
def test_the_divergence_is_the_mean_of_both_directions(seed: int, apart: float) -> None:
    """Against NumPy in 64 bits."""
    import tensorflow as tf

    from core.training.loss import symmetric_divergence

    random = np.random.default_rng(seed)
    first = random.standard_normal((4, 11)).astype(np.float32)
    second = first + np.float32(apart) * random.standard_normal((4, 11)).astype(np.float32)

    def found(*passes: Floats) -> float:
        logits = tf.concat(passes, axis=0)
        return float(symmetric_divergence(logits, tf.nn.softmax(logits))[0])

    p, q = softmax(first.astype(np.float64)), softmax(second.astype(np.float64))
    expected = np.sum(p * np.log(p / q) + q * np.log(q / p)) / 2
    assert found(first, second) == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert found(second, first) == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert found(first, first) == 0.0


def test_r_drop_adds_alpha_times_the_divergence_of_the_real_tokens_to_the_loss_of_both_passes() -> None:
    """Gradient included, against Keras's own; padding differs between the passes, and changes nothing."""
    import keras
    import tensorflow as tf

    from core.training.loss import logit_factors, summed_cross_entropy, twice

    random = np.random.default_rng(0)
    passes, matrix, labels = (tf.constant(a) for a in (
        random.normal(0.0, 0.3, (6, 5, 8)).astype(np.float32),
        random.standard_normal((11, 8)).astype(np.float32),
        np.array([[4, 1, PAD_ID, PAD_ID, PAD_ID], [PAD_ID] * 5, [9, 3, 7, 2, 5]], np.int32),
    ))  # fmt: skip
    keras_loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1, reduction="sum")
    divergence = keras.losses.KLDivergence(reduction="sum")
    (both,) = twice(labels)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([passes, matrix])
        output = logit_factors(passes, matrix, None, both)
        logits = tf.einsum("btd,vd->btv", passes, matrix)[both != PAD_ID]
        p, q = tf.split(tf.nn.softmax(logits), 2)
        plain = keras_loss(tf.one_hot(both[both != PAD_ID], 11), logits)
        plain += 2.0 * (divergence(p, q) + divergence(q, p)) / 2
    sums, of_output = summed_cross_entropy(output, 0.1, r_drop=2.0)
    assert float(sums.loss) == pytest.approx(float(plain), rel=1e-5)
    assert float(sums.tokens) == 2 * 7
    of_sum = tape.gradient((output.states, output.matrix), [passes, matrix], output_gradients=of_output)
    for fast, expected in zip(of_sum, tape.gradient(plain, [passes, matrix]), strict=True):
        np.testing.assert_allclose(tf.convert_to_tensor(fast), expected, atol=1e-4)
