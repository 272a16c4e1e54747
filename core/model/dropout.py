import keras
from keras import ops

from core.model.tensor import Tensor

_DRAWS = 2**16  # equally likely draws for each entry


class Dropout(keras.layers.Layer):
    """Dropout (5.4) drawn from a generator that the whole model shares.

    keras.layers.Dropout owns one random state a layer; with one shared state, a training step can be
    given its seed_generator as a single argument and repeated exactly. An entry's fate takes 16 random bits, half
    as many as the float that keras.random.dropout draws, so the rate is rounded to a 65,536th.

    Args:
        rate: part of the entries set to 0 in training; the others are scaled by 1 / (1 - rate).
        seed_generator: the model's generator.
    """

    def __init__(
        self, rate: float, seed_generator: keras.random.SeedGenerator, name: str = "dropout"
    ) -> None:
        super().__init__(name=name)
        self.rate = rate
        self.seed_generator = seed_generator

    def call(self, inputs, training: bool = False):  # type: ignore[no-untyped-def]
        if not training or self.rate == 0:
            return inputs
        return inputs * self._kept(inputs)

    def _kept(self, inputs: Tensor) -> Tensor:
        """0 for an entry to drop, 1 / (1 - rate) for one to keep."""
        dropped = min(round(self.rate * _DRAWS), _DRAWS - 1)
        entries = ops.size(inputs)
        pairs = keras.random.randint(((entries + 1) // 2, 1), -(2**31), 2**31 - 1, seed=self.seed_generator)
        draws = ops.reshape(ops.view(pairs, "int16"), (-1,))[:entries]  # -_DRAWS / 2 to _DRAWS / 2 - 1
        kept = ops.reshape(draws, ops.shape(inputs)) >= dropped - _DRAWS // 2
        return ops.cast(kept, inputs.dtype) * (_DRAWS / (_DRAWS - dropped))
