from typing import Any, NamedTuple

import tensorflow as tf
from keras import ops

from core.model.tensor import Tensor


class TokenSums(NamedTuple):
    """Sums over the real target tokens of a batch; divided by `tokens` they are means."""

    loss: Tensor  # scalar, nats
    hits: Tensor  # scalar, tokens whose most likely prediction is the label
    tokens: Tensor  # scalar, how many real tokens there are


def masked_cross_entropy(logits: Tensor, labels: Tensor, label_smoothing: Tensor | float = 0.0) -> Tensor:
    """Mean cross-entropy over the real target tokens, with label smoothing (5.4).

    The smoothed target gives 1 - e to the label and spreads e evenly over the vocabulary, so the loss is
    log sum exp(z) - (1 - e) z_label - e mean(z): no one-hot tensor is needed.

    Args:
        logits: z, (B, T, V)
        labels: ids, (B, T); 0 is pad and counts for nothing
        label_smoothing: e, 0 <= e < 1

    Returns:
        A scalar, nats a token.
    """
    of_label = ops.take_along_axis(logits, labels[..., None], axis=-1)[..., 0]
    target = (1.0 - label_smoothing) * of_label + label_smoothing * ops.mean(logits, axis=-1)
    losses = ops.logsumexp(logits, axis=-1) - target
    real = ops.cast(ops.not_equal(labels, 0), losses.dtype)
    return ops.sum(losses * real) / ops.maximum(ops.sum(real), 1.0)


def cross_entropy_of_hidden(
    hidden: Tensor, matrix: Tensor, bias: Tensor | None, labels: Tensor, label_smoothing: Tensor | float
) -> TokenSums:
    """The sums behind `masked_cross_entropy`, from hidden states, for large vocabularies.

    The logits (tokens x vocabulary) are by far the largest tensor of a training step, and on a CPU each
    pass over them costs as much as a layer. So pads never get any, the mean logit is the product of a
    hidden state with the mean row of the matrix, and the backward pass makes the softmax once, from the
    exponentials it has, and uses it in two matrix products; the label's part never is a one-hot tensor.

    Args:
        hidden: (B, T, D)
        matrix: (V, D); logits are hidden times its transpose, plus bias
        bias: (V,), or None
        labels: ids, (B, T); 0 is pad and counts for nothing
        label_smoothing: e, 0 <= e < 1
    """
    real = tf.where(tf.not_equal(labels, 0))
    states = tf.gather_nd(hidden, real)  # (N, D)
    if bias is not None:  # one more channel that is always 1
        states = tf.concat([states, tf.ones_like(states[:, :1])], axis=1)
        matrix = tf.concat([matrix, bias[:, None]], axis=1)
    loss, hits = _summed_cross_entropy(states, matrix, tf.gather_nd(labels, real), label_smoothing)
    return TokenSums(loss, hits, tf.cast(tf.shape(real)[0], tf.float32))


@tf.custom_gradient
def _summed_cross_entropy(
    states: Tensor, matrix: Tensor, labels: Tensor, label_smoothing: Tensor
) -> tuple[tuple[Tensor, Tensor], Any]:
    """States (N, D), matrix (V, D), labels (N,) -> the summed loss and hits, with their gradient."""
    of_labels = tf.gather(matrix, labels)  # (N, D)
    mean_row = tf.reduce_mean(matrix, axis=0)  # (D,): its dot product with a state is the mean logit
    logits = tf.matmul(states, matrix, transpose_b=True)  # (N, V)
    highest = tf.reduce_max(logits, axis=1)
    exponentials = tf.exp(logits - highest[:, None])
    total = tf.reduce_sum(exponentials, axis=1)
    label_logit = tf.gather_nd(logits, tf.stack([tf.range(tf.shape(labels)[0]), labels], axis=1))
    target = (1.0 - label_smoothing) * label_logit + label_smoothing * tf.linalg.matvec(states, mean_row)
    loss = tf.reduce_sum(highest + tf.math.log(total) - target)
    hits = tf.reduce_sum(tf.cast(label_logit >= highest, tf.float32))

    def gradient(upstream: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None, None]:
        softmax = exponentials * (upstream / total)[:, None]  # (N, V)
        on_label, spread = upstream * (1.0 - label_smoothing), upstream * label_smoothing
        of_states = tf.matmul(softmax, matrix) - on_label * of_labels - spread * mean_row
        of_matrix = (
            tf.matmul(softmax, states, transpose_a=True)
            - on_label * tf.math.unsorted_segment_sum(states, labels, tf.shape(matrix)[0])
            - spread * tf.reduce_sum(states, axis=0) / tf.cast(tf.shape(matrix)[0], tf.float32)
        )
        return of_states, of_matrix, None, None

    return (loss, hits), gradient
