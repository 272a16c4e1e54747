import keras

from core.config import ModelConfig
from core.model.dense import Dense
from core.model.dropout import Dropout
from core.model.tensor import Shape, Tensor


class FeedForward(keras.layers.Layer):
    """Two layers at each position alone, equation (2): max(0, x W1 + b1) W2 + b2, or with GELU."""

    def __init__(
        self, config: ModelConfig, seed_generator: keras.random.SeedGenerator, name: str = "feed_forward"
    ) -> None:
        super().__init__(name=name)
        self.dropout = Dropout(config.dropout_rate, seed_generator)
        self.inner = Dense(config.d_ff, activation=config.activation, name="inner")
        self.outer = Dense(config.d_model, name="outer")

    def build(self, shape: Shape) -> None:
        self.inner.build(shape)
        self.outer.build((*shape[:-1], self.inner.units))

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        """(B, T, D) -> (B, T, D). Inner units are dropped too, as in the authors' tensor2tensor."""
        return self.outer(self.dropout(self.inner(x), training=training))
