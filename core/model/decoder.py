"""The decoder: identical layers, one on top of the other, that see the source and no later position (3.1)."""

import keras

from core.config import ModelConfig
from core.model.attention import CrossAttention, SelfAttention, Shape, Tensor
from core.model.sublayers import FeedForward, Residual, layer_norm


class DecoderLayer(keras.layers.Layer):
    """Masked self-attention, attention to the source, feed-forward, each in its residual connection."""

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
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return what leaves the layer (B, T, D), its attention (B, H, T, T) and cross-attention (B, H, T, S).

        Reads x (B, T, D) and the encoder's memory (B, S, D) with masks (B, 1, T, T) and (B, 1, 1, S).
        """
        output, attention = self.self_attention(self.self_attention_residual.pre_norm(x), target_mask)
        x = self.self_attention_residual.add_and_norm(x, output, training)
        output, cross = self.cross_attention(self.cross_attention_residual.pre_norm(x), memory, source_mask)
        x = self.cross_attention_residual.add_and_norm(x, output, training)
        output = self.feed_forward(self.feed_forward_residual.pre_norm(x), training=training)
        return self.feed_forward_residual.add_and_norm(x, output, training), attention, cross


class Decoder(keras.layers.Layer):
    """The stack; with pre-norm it ends in a norm of its own."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(name="decoder")
        self.layers = [DecoderLayer(config, f"layer_{i}") for i in range(config.num_layers)]
        self.final_norm = layer_norm("final_norm") if config.norm == "pre" else None

    def build(self, shape: Shape) -> None:
        for layer in self.layers:
            layer.build(shape)
        if self.final_norm:
            self.final_norm.build(shape)

    def call(
        self, x: Tensor, memory: Tensor, target_mask: Tensor, source_mask: Tensor, training: bool = False
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Run all layers; as `DecoderLayer.call`, with a list of each layer's attention."""
        attention, cross_attention = [], []
        for layer in self.layers:
            x, weights, cross = layer(x, memory, target_mask, source_mask, training=training)
            attention.append(weights)
            cross_attention.append(cross)
        return self.final_norm(x) if self.final_norm else x, attention, cross_attention
