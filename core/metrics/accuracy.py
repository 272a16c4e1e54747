from keras import ops

from core.model.tensor import Tensor


def masked_accuracy(logits: Tensor, labels: Tensor) -> Tensor:
    """The part of the real target tokens whose most likely prediction is the label.

    Args:
        logits: (B, T, V)
        labels: ids, (B, T); 0 is pad and counts for nothing

    Returns:
        A scalar from 0 to 1.
    """
    real = ops.cast(ops.not_equal(labels, 0), "float32")
    hits = ops.cast(ops.equal(ops.argmax(logits, axis=-1), ops.cast(labels, "int32")), "float32")
    return ops.sum(hits * real) / ops.maximum(ops.sum(real), 1.0)
