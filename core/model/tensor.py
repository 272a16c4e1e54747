"""The types of a tensor and its shape, whichever backend Keras runs on."""

from typing import Any

Tensor = Any  # keras.ops take and return the tensors of every backend
Shape = tuple[int | None, ...]  # None where any length goes
