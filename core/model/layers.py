"""The layers of encoder and decoder, and a stack of them (3.1). Axis letters: see `core.config`."""

from collections.abc import Callable

import keras

from core.config import ModelConfig
from core.model.attention import CrossAttention, SelfAttention, Shape, Tensor
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


class DecoderLayer(keras.layers.Layer):
    """Masked self-attention, cross-attention and feed-forward network, each with a residual connection (3.1)."""

    def __init__(self, config: ModelConfig, name: str) -> None:
        super().__init__(name=name)
        self.self_attention = SelfAttention(config.d_model, config.num_heads)
        self.self_attention_residual = Residual(config, name="self_attention_residual")
        self.cross_attention = CrossAttention(config.d_model, config.num_heads)
        self.cross_attention_residual = Residual(config, name="cross_attention_residual")
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config, name="feed_forward_residual")

    def build(self, shape: Shape) -> None:
        self.self_attention.build(shape)
        self.self_attention_residual.build(shape)
        self.cross_attention.build(shape)
        self.cross_attention_residual.build(shape)
        self.feed_forward.build(shape)
        self.feed_forward_residual.build(shape)

    def call(
        self, x: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor, training: bool = False
    ) -> Tensor:
        """Run the layer on x (B, T, D) and `memory` (B, S, D), with masks (B, 1, T or 1, T) and (B, 1, 1, S)."""
        output = self.self_attention(self.self_attention_residual.pre_norm(x), target_mask)
        x = self.self_attention_residual.add_and_norm(x, output, training)
        output = self.cross_attention(self.cross_attention_residual.pre_norm(x), memory, source_mask)
        x = self.cross_attention_residual.add_and_norm(x, output, training)
        output = self.feed_forward(self.feed_forward_residual.pre_norm(x), training=training)
        return self.feed_forward_residual.add_and_norm(x, output, training)


class Stack(keras.layers.Layer):
    """A stack of identical layers (3.1); a pre-norm stack ends in a layer norm."""

    def __init__(
        self, config: ModelConfig, make_layer: Callable[[ModelConfig, str], keras.layers.Layer], name: str
    ) -> None:
        super().__init__(name=name)
        self.layers = [make_layer(config, f"layer_{i}") for i in range(config.num_layers)]
        self.final_norm = layer_norm("final_norm") if config.norm == "pre" else None

    def build(self, shape: Shape) -> None:
        for layer in self.layers:
            layer.build(shape)
        if self.final_norm:
            self.final_norm.build(shape)

    def call(self, x: Tensor, *others: Tensor, training: bool = False) -> Tensor:
        """Return the output (B, T, D) for x (B, T, D) and what else each layer reads: masks, the encoder's output."""
        for layer in self.layers:
            x = layer(x, *others, training=training)
        return self.final_norm(x) if self.final_norm else x
