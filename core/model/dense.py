from typing import Any

import keras
from keras import ops

from core.model.tensor import Tensor, known_batch, length_of


class Dense(keras.layers.Dense):
    """The same linear map at every position: x W + b, with an activation or none.

    keras.layers.Dense with all positions as the rows of one matrix: so TensorFlow adds the bias, and a ReLU,
    inside the matrix product, instead of reading and writing its result again for each.
    """

    def call(self, x: Tensor, training: Any = None) -> Tensor:
        """(..., D) -> (..., units)."""
        rows = super().call(ops.reshape(x, (-1, x.shape[-1])), training=training)
        positions = (length_of(x, axis) for axis in range(1, x.ndim - 1))
        return ops.reshape(rows, (known_batch(x), *positions, self.units))
