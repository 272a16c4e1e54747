from typing import NamedTuple

import tensorflow as tf

from core.model.attention import Tensor


class TokenSums(NamedTuple):
    """Sums over the real target tokens of a batch; divided by `tokens` they are means."""

    loss: Tensor  # scalar, nats
    hits: Tensor  # scalar, tokens whose most likely prediction is the label
    tokens: Tensor  # scalar, how many real tokens there are


class OutputLayer(NamedTuple):
    """What the logits of the real target tokens are computed from; they are states times matrix transposed."""

    states: Tensor  # (N, D) of the N real target tokens
    matrix: Tensor  # (V, D)
    labels: Tensor  # (N,) ids


def output_layer(hidden: Tensor, matrix: Tensor, bias: Tensor | None, labels: Tensor) -> OutputLayer:
    """Leave the pads out, and make the bias a part of the matrix.

    Args:
        hidden: (B, T, D)
        matrix: (V, D); logits are hidden times its transpose, plus bias
        bias: (V,), or None
        labels: ids, (B, T); 0 is pad and counts for nothing
    """
    real = tf.where(tf.not_equal(labels, 0))
    states = tf.cast(tf.gather_nd(hidden, real), tf.float32)  # where the layers compute in 16 bits
    if bias is not None:  # one more channel that is always 1
        states = tf.concat([states, tf.ones_like(states[:, :1])], axis=1)
        matrix = tf.concat([matrix, bias[:, None]], axis=1)
    return OutputLayer(states, matrix, tf.gather_nd(labels, real))


def summed_cross_entropy(
    output: OutputLayer, label_smoothing: Tensor | float
) -> tuple[TokenSums, tuple[Tensor, Tensor]]:
    """Cross-entropy over the real target tokens, with label smoothing (5.4), and the gradient of the summed loss.

    The smoothed target gives 1 - e to the label and spreads e evenly over the vocabulary, so the loss of a token is
    log sum exp(z) - (1 - e) z_label - e mean(z).

    The logits (tokens x vocabulary) are by far the largest tensor of a training step, and on a CPU each
    pass over them costs as much as a layer. So pads never get any, the mean logit is the product of a
    hidden state with the mean row of the matrix, and the gradient makes the softmax once, from the
    exponentials it has, and uses it in two matrix products; the label's part is never a one-hot tensor.

    The gradient is returned, not registered with `tf.custom_gradient`: TensorFlow 2.21 keeps each traced function
    with such an operation for good, 3 to 8 MB a configuration.

    Args:
        output: from `output_layer`.
        label_smoothing: e, 0 <= e < 1

    Returns:
        The sums; the gradient of the loss with respect to the states (N, D) and the matrix (V, D).
    """
    states, matrix, labels = output
    mean_row = tf.reduce_mean(matrix, axis=0)  # (D,): its dot product with a state is the mean logit
    logits = tf.matmul(states, matrix, transpose_b=True)  # (N, V)
    highest = tf.reduce_max(logits, axis=1)
    exponentials = tf.exp(logits - highest[:, None])
    total = tf.reduce_sum(exponentials, axis=1)
    label_logit = tf.gather_nd(logits, tf.stack([tf.range(tf.shape(labels)[0]), labels], axis=1))
    target = (1.0 - label_smoothing) * label_logit + label_smoothing * tf.linalg.matvec(states, mean_row)
    loss = tf.reduce_sum(highest + tf.math.log(total) - target)
    of_logits = exponentials * (1.0 / total)[:, None]  # (N, V), the softmax
    sums = TokenSums(
        loss=loss,
        hits=tf.reduce_sum(tf.cast(label_logit >= highest, tf.float32)),
        tokens=tf.cast(tf.shape(labels)[0], tf.float32),
    )
    return sums, _gradient(output, mean_row, of_logits, label_smoothing)


def _gradient(
    output: OutputLayer, mean_row: Tensor, of_logits: Tensor, label_smoothing: Tensor | float
) -> tuple[Tensor, Tensor]:
    """The gradient with respect to states (N, D) and matrix (V, D), from that of the logits without the target."""
    states, matrix, labels = output
    on_label = 1.0 - label_smoothing
    of_states = (
        tf.matmul(of_logits, matrix) - on_label * tf.gather(matrix, labels) - label_smoothing * mean_row
    )
    size = tf.shape(matrix)[0]
    of_matrix = (
        tf.matmul(of_logits, states, transpose_a=True)
        - on_label * tf.math.unsorted_segment_sum(states, labels, size)
        - label_smoothing * tf.reduce_sum(states, axis=0) / tf.cast(size, tf.float32)
    )
    return of_states, of_matrix
