from typing import Any

import keras
from keras import ops

from core.model.tensor import Tensor


class Dense(keras.layers.Dense):
    """The same linear map at every position: x W + b, with an activation or none.

    keras.layers.Dense with all positions as the rows of one matrix: so TensorFlow adds the bias, and a ReLU,
    inside the matrix product, instead of reading and writing its result again for each.
    """

    def call(self, x: Tensor, training: Any = None) -> Tensor:
        """(..., D) -> (..., units)."""
        *positions, width = ops.shape(x)
        rows = super().call(ops.reshape(x, (-1, width)), training=training)
        return ops.reshape(rows, (*positions, self.units))
