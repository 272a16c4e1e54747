"""Feed-forward network (3.3), residual connection and norm (3.1), dropout (5.4). Axis letters: see `core.config`."""

import keras
from keras import ops

from core.config import ModelConfig
from core.model.attention import Shape, Tensor
from core.theory.norm_placement import EPSILON


class Dropout(keras.layers.Dropout):
    """Keras's dropout (5.4) with 16 random bits per element instead of 32, which saves 5 % of a training step."""

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        """Set random elements of x to 0 in training, and scale the others by 1 / (1 - rate)."""
        if not training or self.rate == 0:
            return x
        size = ops.size(x)
        draws = keras.random.randint((size // 2 + 1, 1), -(2**31), 2**31 - 1, seed=self.seed_generator)
        draws = ops.reshape(ops.view(draws, "int16"), (-1,))[:size]  # each from -2**15 to 2**15 - 1
        kept = ops.reshape(draws, ops.shape(x)) >= round(self.rate * 2**16) - 2**15
        return x * (ops.cast(kept, x.dtype) * (1.0 / (1.0 - self.rate)))


class FeedForward(keras.layers.Layer):
    """Two dense layers, applied to each position alone, equation (2): max(0, x W1 + b1) W2 + b2, or with GELU."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(name="feed_forward")
        self.inner = keras.layers.Dense(config.d_ff, activation=config.activation, name="inner")
        self.dropout = Dropout(config.dropout_rate)
        self.outer = keras.layers.Dense(config.d_model, name="outer")

    def build(self, shape: Shape) -> None:
        self.inner.build(shape)
        self.outer.build((*shape[:-1], self.inner.units))

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        """Return the output (B, T, D) for x (B, T, D), with dropout on the inner units too, as in tensor2tensor."""
        return self.outer(self.dropout(self.inner(x), training=training))


def layer_norm(name: str) -> keras.layers.LayerNormalization:
    """Return a layer norm: mean 0 and variance 1 for each vector, then a learned scale and shift (Ba et al. 2016)."""
    return keras.layers.LayerNormalization(epsilon=EPSILON, name=name)


class Residual(keras.layers.Layer):
    """The residual connection around every sublayer (3.1): LayerNorm(x + Dropout(Sublayer(x))).

    This is the paper's, `norm="post"`. With `norm="pre"` (Xiong et al. 2020) it is x + Dropout(Sublayer(LayerNorm(x))),
    so that gradients pass the stack unchanged. Call `pre_norm`, run the sublayer on the result, then call
    `add_and_norm`.
    """

    def __init__(self, config: ModelConfig, name: str) -> None:
        super().__init__(name=name)
        self.norm_placement = config.norm
        self.dropout = Dropout(config.dropout_rate)
        self.norm = layer_norm("norm")

    def build(self, shape: Shape) -> None:
        self.norm.build(shape)

    def pre_norm(self, x: Tensor) -> Tensor:
        """Return the sublayer's input for x (B, T, D): LayerNorm(x) with pre-norm, else x."""
        return self.norm(x) if self.norm_placement == "pre" else x

    def add_and_norm(self, x: Tensor, output: Tensor, training: bool) -> Tensor:
        """Add the sublayer's output (B, T, D) to x (B, T, D); with post-norm, normalize the sum."""
        total = x + self.dropout(output, training=training)
        return self.norm(total) if self.norm_placement == "post" else total
