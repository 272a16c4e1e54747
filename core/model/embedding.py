import math

import keras
from keras import ops

from core.config import ModelConfig
from core.model.dropout import Dropout
from core.model.tensor import Shape, Tensor, known_batch, length_of
from core.theory.positional_encoding import sinusoidal_encoding


def token_embedding(entries: int, config: ModelConfig, name: str = "tokens") -> keras.layers.Embedding:
    """A matrix (entries, D) with variance 1 / D, so that its rows times sqrt(D) have variance 1 (3.4)."""
    normal = keras.initializers.RandomNormal(stddev=config.d_model**-0.5)
    return keras.layers.Embedding(entries, config.d_model, embeddings_initializer=normal, name=name)


class Embedding(keras.layers.Layer):
    """Token embedding times sqrt(d_model) (3.4) plus positional encoding (3.5), with dropout (5.4).

    Args:
        tokens: the token embedding, of this side alone or shared with the other.
        max_length: most positions a sentence of this side has.
        config: of the model.
        seed_generator: the model's generator.
        name: "source_embedding" or "target_embedding".
    """

    def __init__(
        self,
        tokens: keras.layers.Embedding,
        max_length: int,
        config: ModelConfig,
        seed_generator: keras.random.SeedGenerator,
        name: str,
    ) -> None:
        super().__init__(name=name)
        self.scale = math.sqrt(config.d_model)
        self.tokens = tokens
        if config.positional_encoding == "learned":
            self.positions = token_embedding(max_length, config, "positions")
        else:
            self.encoding = sinusoidal_encoding(max_length, config.d_model)
        self.learned = config.positional_encoding == "learned"
        self.dropout = Dropout(config.dropout_rate, seed_generator)

    def build(self, shape: Shape) -> None:
        if not self.tokens.built:
            self.tokens.build(shape)
        if self.learned:
            self.positions.build(shape)

    def call(self, ids: Tensor, first_position: Tensor | int = 0, training: bool = False) -> Tensor:
        """Ids (B, T) at positions first_position, first_position + 1, … -> (B, T, D)."""
        positions = first_position + ops.arange(length_of(ids, 1), dtype="int32")
        if self.learned:
            encoding = self.positions(positions) * self.scale
        else:
            encoding = ops.take(ops.convert_to_tensor(self.encoding, self.compute_dtype), positions, axis=0)
        return self.dropout(self.tokens(ids) * self.scale + encoding, training=training)

    def transposed(self) -> Tensor:
        """The embedding matrix as the tied output projection multiplies by it, (D, V)."""
        return ops.transpose(self.tokens.embeddings)

    def logits(self, hidden: Tensor, transposed: Tensor | None = None) -> Tensor:
        """The tied output projection (3.4): hidden (B, T, D) -> logits (B, T, V); `transposed` if it is there already."""
        matrix = self.transposed() if transposed is None else transposed
        rows = ops.matmul(ops.reshape(hidden, (-1, hidden.shape[2])), matrix)
        return ops.reshape(rows, (known_batch(hidden), length_of(hidden, 1), rows.shape[1]))
