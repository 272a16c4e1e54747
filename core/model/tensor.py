"""The types of a tensor and its shape, whichever backend Keras runs on."""

from typing import Any

from keras import ops

Tensor = Any  # keras.ops take and return the tensors of every backend
Shape = tuple[int | None, ...]  # None where any length goes


def length_of(x: Tensor, axis: int) -> Tensor | int:
    """How long an axis is: a number, or a tensor where only the graph's run will tell.

    Reading a length in a graph takes ten operations; half of the search's graph was that. So reshapes leave the batch
    to be inferred (`known_batch`) instead of reading it.
    """
    length = x.shape[axis]
    return ops.shape(x)[axis] if length is None else length


def known_batch(x: Tensor) -> int:
    """The first axis for a reshape that keeps it: its length where it is known, else -1."""
    return -1 if x.shape[0] is None else x.shape[0]
