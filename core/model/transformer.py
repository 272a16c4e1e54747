"""The whole model (figure 1): read `hidden` first, then the files that it calls. Axis letters: see `core.config`."""

import keras
from keras import ops

from core.config import ModelConfig
from core.model.attention import Shape, Tensor, causal_mask, padding_mask
from core.model.embedding import Embedding
from core.model.layers import DecoderLayer, EncoderLayer, Stack
from core.weights import Weights, weight_shapes


class Transformer(keras.Model):
    """Encoder and decoder (3.1), from token ids to logits, for training. Masks are built from the ids.

    `core.inference` translates and explains with the same weights, in NumPy.

    Example:
        >>> model = Transformer(ModelConfig(source_vocab_size=38, target_vocab_size=35))
        >>> model(source_ids, target_ids).shape  # (B, S), (B, T) -> (B, T, V)
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(name="transformer")
        self.config = config

        def tokens(entries: int, name: str = "tokens") -> keras.layers.Embedding:
            return keras.layers.Embedding(entries, config.d_model, name=name)

        shared = tokens(config.target_vocab_size, "shared_embedding") if config.share_embeddings else None
        self.source_embedding = Embedding(
            shared or tokens(config.source_vocab_size), config.max_source_length, config, "source_embedding"
        )
        self.target_embedding = Embedding(
            shared or tokens(config.target_vocab_size), config.max_target_length, config, "target_embedding"
        )
        self.shared_tokens = shared
        self.encoder = Stack(config, EncoderLayer, "encoder")
        self.decoder = Stack(config, DecoderLayer, "decoder")
        self.projection = (
            None if config.tie_embeddings else keras.layers.Dense(config.target_vocab_size, name="output")
        )
        self.build((None, None))

    def build(self, ids_shape: Shape) -> None:
        """Create all weights."""
        if self.shared_tokens:
            self.shared_tokens.build(ids_shape)
        self.source_embedding.build(ids_shape)
        self.target_embedding.build(ids_shape)
        hidden_shape = (*ids_shape, self.config.d_model)
        self.encoder.build(hidden_shape)
        self.decoder.build(hidden_shape)
        if self.projection:
            self.projection.build(hidden_shape)

    def call(self, source_ids: Tensor, target_ids: Tensor, training: bool = False) -> Tensor:
        """Return logits for the next target token at every position.

        Args:
            source_ids: (B, S), padded with 0
            target_ids: (B, T), the decoder's input, padded with 0
            training: whether to apply dropout

        Returns:
            Logits (B, T, V).
        """
        matrix, bias = self.output_projection()
        logits = ops.matmul(self.hidden(source_ids, target_ids, training), ops.transpose(matrix))
        return logits if bias is None else logits + bias

    def hidden(self, source_ids: Tensor, target_ids: Tensor, training: bool = False) -> Tensor:
        """Return the decoder's output (B, T, D), of which a loss computes only the logits it needs."""
        source_mask = padding_mask(source_ids)
        target_mask = padding_mask(target_ids)
        if self.config.causal_mask:
            target_mask = ops.logical_and(target_mask, causal_mask(ops.shape(target_ids)[1]))
        source = self.source_embedding(source_ids, training=training)
        memory = self.encoder(source, source_mask, training=training)
        target = self.target_embedding(target_ids, training=training)
        return self.decoder(target, memory, target_mask, source_mask, training=training)

    def output_projection(self) -> tuple[Tensor, Tensor | None]:
        """Return the matrix (V, D) and the bias (V,), or None, that turn hidden states into logits (3.4)."""
        # Read `.value` now: after `core.training.stateless.bound` ends, the variable no longer stands for the given
        # weights.
        if self.projection is None:
            return self.target_embedding.tokens.embeddings.value, None
        return ops.transpose(self.projection.kernel.value), self.projection.bias.value

    def variables_by_name(self) -> dict[str, keras.Variable]:
        """Return the trainable variables under the names of `weight_shapes`, in its order."""
        by_path = {variable.path.split("/", 1)[1]: variable for variable in self.trainable_variables}
        return {name: by_path[name] for name in weight_shapes(self.config)}

    def assign_weights(self, weights: Weights) -> None:
        """Set the weights, given by name."""
        for name, variable in self.variables_by_name().items():
            variable.assign(weights[name])
