import keras


class Dropout(keras.layers.Layer):
    """Dropout (5.4) drawn from a generator that the whole model shares.

    keras.layers.Dropout owns one random state a layer; with one shared state, a training step can be
    given its randomness as a single argument and repeated exactly.

    Args:
        rate: part of the entries set to 0 in training; the others are scaled by 1 / (1 - rate).
        randomness: the model's generator.
    """

    def __init__(self, rate: float, randomness: keras.random.SeedGenerator, name: str = "dropout") -> None:
        super().__init__(name=name)
        self.rate = rate
        self.randomness = randomness

    def call(self, inputs, training: bool = False):  # type: ignore[no-untyped-def]
        if not training or self.rate == 0:
            return inputs
        return keras.random.dropout(inputs, self.rate, seed=self.randomness)
