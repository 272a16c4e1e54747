"""Cross-entropy with label smoothing (5.4), R-Drop, and their gradient. Axis letters: see `core.config`."""

from typing import NamedTuple

import tensorflow as tf

from core.model.keras_ops import Tensor
from core.tokens.vocabulary import PAD_ID


class TokenSums(NamedTuple):
    """Sums over the real target tokens of a batch; divided by `tokens` they are means."""

    loss: Tensor  # scalar, nats
    num_correct: Tensor  # scalar, tokens whose most likely prediction is the label
    tokens: Tensor  # scalar, number of real tokens; with R-Drop, each counts twice


class LogitFactors(NamedTuple):
    """The factors of the logits of the N real target tokens: logits = states @ matrix.T.

    A bias makes one more channel, D + 1.
    """

    states: Tensor  # (N, D)
    matrix: Tensor  # (V, D)
    labels: Tensor  # (N,) ids


def logit_factors(hidden: Tensor, matrix: Tensor, bias: Tensor | None, labels: Tensor) -> LogitFactors:
    """Leave out padding, and make the bias a part of the matrix.

    Args:
        hidden: (B, T, D)
        matrix: (V, D); logits are hidden times its transpose, plus bias
        bias: (V,), or None
        labels: ids, (B, T); padding is ignored
    """
    real = tf.where(tf.not_equal(labels, PAD_ID))
    # With mixed precision, the hidden states have 16 bits.
    states = tf.cast(tf.gather_nd(hidden, real), tf.float32)
    if bias is not None:  # an additional channel that is always 1
        states = tf.concat([states, tf.ones_like(states[:, :1])], axis=1)
        matrix = tf.concat([matrix, bias[:, None]], axis=1)
    return LogitFactors(states, matrix, tf.gather_nd(labels, real))


def summed_cross_entropy(
    output: LogitFactors, label_smoothing: Tensor | float, r_drop: Tensor | float | None = None
) -> tuple[TokenSums, tuple[Tensor, Tensor]]:
    """Sum the cross-entropy over the real target tokens, with label smoothing (5.4), and compute its gradient.

    The smoothed target has 1 - e on the label and e spread evenly over the vocabulary, so the loss of a token is
    log sum exp(z) - (1 - e) z_label - e mean(z).

    With R-Drop (Liang et al. 2021, equations 2 to 4), a token that is read twice adds the loss of both passes and alpha
    times their `symmetric_divergence`. Divided by `tokens`, that is the mean loss of a pass plus alpha / 2 times the mean
    divergence: half the paper's sum, in the paper's ratio.

    The logits (N, V) are by far the largest tensor of a training step; on a CPU, each pass over them costs as much as a
    layer. Three savings follow: no logits are computed for padding; the mean logit is the product of a state and the
    matrix's mean row; the gradient reuses the exponentials and needs no one-hot labels.

    The gradient is returned, not registered with `tf.custom_gradient`, because TensorFlow 2.21 never frees traced
    functions with custom gradients: a leak of 3 to 8 MB per configuration.

    Args:
        output: the result of `logit_factors`.
        label_smoothing: e, 0 <= e < 1
        r_drop: alpha, if the batch has each pair twice, in the order of `twice`; else None

    Returns:
        The sums, and the gradient of the loss with respect to the states (N, D) and the matrix (V, D).
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
    probabilities = exponentials * (1.0 / total)[:, None]  # (N, V)
    grad_logits = probabilities  # without the target's part
    if r_drop is not None:
        divergence, grad_divergence = symmetric_divergence(logits, probabilities)
        loss += r_drop * divergence
        grad_logits += r_drop * grad_divergence
    sums = TokenSums(
        loss=loss,
        num_correct=tf.reduce_sum(tf.cast(label_logit >= highest, tf.float32)),
        tokens=tf.cast(tf.shape(labels)[0], tf.float32),
    )
    return sums, _gradient(output, mean_row, grad_logits, label_smoothing)


def twice(*batch: Tensor) -> list[Tensor]:
    """Return each tensor (B, ...) with all its rows once more below them, (2B, ...): dropout differs in each row."""
    return [tf.concat([rows, rows], axis=0) for rows in batch]


def symmetric_divergence(logits: Tensor, probabilities: Tensor) -> tuple[Tensor, Tensor]:
    """Sum R-Drop's divergence of two passes over their N tokens, and compute its gradient.

    For predictions p and q of one token, it is (KL(p || q) + KL(q || p)) / 2 = sum (p - q) (log p - log q) / 2.

    Args:
        logits: (2N, V); rows n and N + n are of one token.
        probabilities: (2N, V), their softmax.

    Returns:
        The sum, and its gradient with respect to the logits (2N, V).
    """
    p, q = tf.split(probabilities, 2)
    first, second = tf.split(logits, 2)
    ratio = first - second  # log p - log q, plus a number per token, which cancels in all that follows
    mean_p = tf.reduce_sum(p * ratio, axis=1, keepdims=True)  # (N, 1)
    mean_q = tf.reduce_sum(q * ratio, axis=1, keepdims=True)
    grad_first = p - q + p * (ratio - mean_p)
    grad_second = q - p - q * (ratio - mean_q)
    return 0.5 * tf.reduce_sum(mean_p - mean_q), 0.5 * tf.concat([grad_first, grad_second], axis=0)


def _gradient(
    output: LogitFactors, mean_row: Tensor, grad_logits: Tensor, label_smoothing: Tensor | float
) -> tuple[Tensor, Tensor]:
    """Return the gradient with respect to states (N, D) and matrix (V, D).

    Args:
        output: the result of `logit_factors`.
        mean_row: the matrix's mean row, (D,).
        grad_logits: the gradient with respect to the logits (N, V), without that of the target.
        label_smoothing: e
    """
    states, matrix, labels = output
    on_label = 1.0 - label_smoothing
    grad_states = (
        tf.matmul(grad_logits, matrix) - on_label * tf.gather(matrix, labels) - label_smoothing * mean_row
    )
    size = tf.shape(matrix)[0]
    grad_matrix = (
        tf.matmul(grad_logits, states, transpose_a=True)
        - on_label * tf.math.unsorted_segment_sum(states, labels, size)
        - label_smoothing * tf.reduce_sum(states, axis=0) / tf.cast(size, tf.float32)
    )
    return grad_states, grad_matrix
