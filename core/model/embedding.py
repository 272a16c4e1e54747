"""From token ids to the vectors that enter a stack (3.4, 3.5). Axis letters: see `core.config`."""

import math

import keras
import numpy as np
from keras import ops

from core.config import ModelConfig
from core.model.attention import Shape, Tensor
from core.model.sublayers import Dropout
from core.theory.positional_encoding import sinusoidal_encoding


class Embedding(keras.layers.Layer):
    """Token embedding times sqrt(d_model) (3.4), plus positional encoding (3.5), with dropout (5.4).

    Args:
        tokens: token embedding of this side, perhaps shared with the other.
        max_length: the largest number of positions on this side.
        config: the model's configuration.
        name: "source_embedding" or "target_embedding".
    """

    def __init__(
        self, tokens: keras.layers.Embedding, max_length: int, config: ModelConfig, name: str
    ) -> None:
        super().__init__(name=name)
        self.scale = math.sqrt(config.d_model)
        self.tokens = tokens
        self.positions = None
        if config.positional_encoding == "learned":
            self.positions = keras.layers.Embedding(max_length, config.d_model, name="positions")
        elif config.positional_encoding == "sinusoidal":
            self.encoding = sinusoidal_encoding(max_length, config.d_model)
        else:
            self.encoding = np.zeros((max_length, config.d_model), np.float32)
        self.dropout = Dropout(config.dropout_rate)

    def build(self, shape: Shape) -> None:
        if not self.tokens.built:
            self.tokens.build(shape)
        if self.positions:
            self.positions.build(shape)

    def call(self, ids: Tensor, training: bool = False) -> Tensor:
        """Embed ids (B, T) as vectors (B, T, D)."""
        length = ops.shape(ids)[1]
        if self.positions:
            encoding = self.positions(ops.arange(length)) * self.scale
        else:
            encoding = ops.convert_to_tensor(self.encoding, self.compute_dtype)[:length]
        return self.dropout(self.tokens(ids) * self.scale + encoding, training=training)
