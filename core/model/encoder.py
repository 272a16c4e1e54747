"""The encoder: identical layers, one on top of the other (3.1)."""

import keras

from core.config import ModelConfig
from core.model.attention import SelfAttention, Shape, Tensor
from core.model.sublayers import FeedForward, Residual, layer_norm


class EncoderLayer(keras.layers.Layer):
    """Self-attention, then feed-forward, each in its residual connection."""

    def __init__(self, config: ModelConfig, name: str) -> None:
        super().__init__(name=name)
        self.self_attention = SelfAttention(config.d_model, config.num_heads)
        self.self_attention_residual = Residual(config, name="self_attention_residual")
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config, name="feed_forward_residual")

    def build(self, shape: Shape) -> None:
        self.self_attention.build(shape)
        self.self_attention_residual.build(shape)
        self.feed_forward.build(shape)
        self.feed_forward_residual.build(shape)

    def call(self, x: Tensor, mask: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        """Return what leaves the layer (B, S, D) and its attention (B, H, S, S); x (B, S, D), mask (B, 1, 1, S)."""
        output, attention = self.self_attention(self.self_attention_residual.pre_norm(x), mask)
        x = self.self_attention_residual.add_and_norm(x, output, training)
        output = self.feed_forward(self.feed_forward_residual.pre_norm(x), training=training)
        return self.feed_forward_residual.add_and_norm(x, output, training), attention


class Encoder(keras.layers.Layer):
    """The stack; with pre-norm it ends in a norm of its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(name="encoder")
        self.layers = [EncoderLayer(config, f"layer_{i}") for i in range(config.num_layers)]
        self.final_norm = layer_norm("final_norm") if config.norm == "pre" else None

    def build(self, shape: Shape) -> None:
        for layer in self.layers:
            layer.build(shape)
        if self.final_norm:
            self.final_norm.build(shape)

    def call(self, x: Tensor, mask: Tensor, training: bool = False) -> tuple[Tensor, list[Tensor]]:
        """Return the memory (B, S, D) and each layer's attention (B, H, S, S); x (B, S, D), mask (B, 1, 1, S)."""
        attention = []
        for layer in self.layers:
            x, weights = layer(x, mask, training=training)
            attention.append(weights)
        return self.final_norm(x) if self.final_norm else x, attention
