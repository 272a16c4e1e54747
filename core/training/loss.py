from keras import ops

from core.model.tensor import Tensor


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
