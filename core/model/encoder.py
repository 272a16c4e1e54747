import keras

from core.config import ModelConfig
from core.model.attention import SelfAttention
from core.model.feed_forward import FeedForward
from core.model.residual import Residual
from core.model.tensor import Shape, Tensor


class EncoderLayer(keras.layers.Layer):
    """Self-attention, then feed-forward, each in its residual connection (3.1)."""

    def __init__(self, config: ModelConfig, seed_generator: keras.random.SeedGenerator, name: str) -> None:
        super().__init__(name=name)
        self.self_attention = SelfAttention(config.d_model, config.num_heads)
        self.self_attention_residual = Residual(config, seed_generator, name="self_attention_residual")
        self.feed_forward = FeedForward(config, seed_generator)
        self.feed_forward_residual = Residual(config, seed_generator, name="feed_forward_residual")

    def build(self, shape: Shape) -> None:
        self.self_attention.build(shape)
        self.self_attention_residual.build(shape)
        self.feed_forward.build(shape)
        self.feed_forward_residual.build(shape)

    def call(self, x: Tensor, mask: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        """x (B, S, D), mask (B, 1, 1, S) -> the output (B, S, D) and the weights (B, H, S, S)."""
        hidden, weights, _ = self.self_attention(self.self_attention_residual.before(x), mask)
        x = self.self_attention_residual.after(x, hidden, training)
        hidden = self.feed_forward(self.feed_forward_residual.before(x), training=training)
        return self.feed_forward_residual.after(x, hidden, training), weights


class Encoder(keras.layers.Layer):
    """A stack of identical layers; pre-norm stacks end in a norm of their own."""

    def __init__(
        self, config: ModelConfig, seed_generator: keras.random.SeedGenerator, name: str = "encoder"
    ) -> None:
        super().__init__(name=name)
        self.layers = [EncoderLayer(config, seed_generator, f"layer_{i}") for i in range(config.num_layers)]
        self.final_norm = (
            keras.layers.LayerNormalization(epsilon=1e-6, name="final_norm") if config.norm == "pre" else None
        )

    def build(self, shape: Shape) -> None:
        for layer in self.layers:
            layer.build(shape)
        if self.final_norm:
            self.final_norm.build(shape)

    def call(self, x: Tensor, mask: Tensor, training: bool = False) -> tuple[Tensor, list[Tensor]]:
        """x (B, S, D), mask (B, 1, 1, S) -> the memory (B, S, D) and L weights (B, H, S, S)."""
        weights = []
        for layer in self.layers:
            x, layer_weights = layer(x, mask, training=training)
            weights.append(layer_weights)
        return (self.final_norm(x) if self.final_norm else x), weights
