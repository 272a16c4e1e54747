"""The encoder: a stack of identical layers (3.1). Axis letters: see `core.config`."""

import keras

from core.config import ModelConfig
from core.model.attention import SelfAttention, Shape, Tensor
from core.model.sublayers import FeedForward, Residual, layer_norm


class EncoderLayer(keras.layers.Layer):
    """Self-attention and feed-forward network, each with a residual connection (3.1)."""

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

    def call(self, x: Tensor, mask: Tensor, training: bool = False) -> Tensor:
        """Return the output (B, S, D) for x (B, S, D) and a mask (B, 1, 1, S)."""
        output = self.self_attention(self.self_attention_residual.pre_norm(x), mask)
        x = self.self_attention_residual.add_and_norm(x, output, training)
        output = self.feed_forward(self.feed_forward_residual.pre_norm(x), training=training)
        return self.feed_forward_residual.add_and_norm(x, output, training)


class Encoder(keras.layers.Layer):
    """The stack of encoder layers; a pre-norm stack ends in a layer norm."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(name="encoder")
        self.layers = [EncoderLayer(config, f"layer_{i}") for i in range(config.num_layers)]
        self.final_norm = layer_norm("final_norm") if config.norm == "pre" else None

    def build(self, shape: Shape) -> None:
        for layer in self.layers:
            layer.build(shape)
        if self.final_norm:
            self.final_norm.build(shape)

    def call(self, x: Tensor, mask: Tensor, training: bool = False) -> Tensor:
        """Return the memory (B, S, D) for x (B, S, D) and a mask (B, 1, 1, S)."""
        for layer in self.layers:
            x = layer(x, mask, training=training)
        return self.final_norm(x) if self.final_norm else x
