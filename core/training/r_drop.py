import tensorflow as tf

from core.model.tensor import Tensor


def twice(*batch: Tensor) -> list[Tensor]:
    """Every row of each tensor once more, below all others: dropout draws anew for each row."""
    return [tf.concat([rows, rows], axis=0) for rows in batch]


def summed_disagreement(logits: Tensor, probabilities: Tensor) -> tuple[Tensor, Tensor]:
    """How much two passes of the same tokens under different dropout disagree (R-Drop, Liang et al. 2021, eq. 2).

    For each token, the mean of the Kullback-Leibler divergences of its two predictions p and q in both directions,
    which is half the sum of (p - q) (log p - log q) over the vocabulary. The paper adds it, times a weight, to the
    sum of both cross-entropies (eq. 4).

    Args:
        logits: (2N, V); row i and row N + i are those of one token.
        probabilities: (2N, V), their softmax.

    Returns:
        The sum over the N tokens; its gradient with respect to the logits, (2N, V).
    """
    first, second = tf.split(logits, 2)
    p, q = tf.split(probabilities, 2)
    # log p - log q is this and one number a token, which nothing below depends on: p - q sums to 0, and p to 1.
    apart, log_apart = p - q, first - second
    # The derivative of log p_j by logit k is 1 - p_k where j is k, and -p_k elsewhere.
    of_p = 0.5 * (apart + p * (log_apart - tf.reduce_sum(p * log_apart, axis=1, keepdims=True)))
    of_q = -0.5 * (apart + q * (log_apart - tf.reduce_sum(q * log_apart, axis=1, keepdims=True)))
    return 0.5 * tf.reduce_sum(apart * log_apart), tf.concat([of_p, of_q], axis=0)
