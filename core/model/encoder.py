from typing import NamedTuple

import keras

from core.config import ModelConfig
from core.model.attention import KeysValues, SelfAttention
from core.model.feed_forward import FeedForward
from core.model.interventions import UNCHANGED, Interventions, patched
from core.model.residual import Residual
from core.model.stack import LayerStack
from core.model.tensor import Shape, Tensor


class EncoderLayerOutput(NamedTuple):
    """What one layer returns."""

    hidden: Tensor  # (B, S, D)
    weights: Tensor  # (B, H, S, S)
    keys_values: KeysValues


class EncoderOutput(NamedTuple):
    """What the stack returns."""

    memory: Tensor  # (B, S, D), what the decoder reads
    hidden: list[Tensor]  # L + 1 of (B, S, D): the embedding, then what leaves each layer
    layers: list[EncoderLayerOutput]


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

    def call(
        self, x: Tensor, mask: Tensor, training: bool = False, gates: Tensor | None = None
    ) -> EncoderLayerOutput:
        """x (B, S, D), mask (B, 1, 1, S), gates (B, H)."""
        hidden, weights, keys_values = self.self_attention(
            self.self_attention_residual.before(x), mask, gates=gates
        )
        x = self.self_attention_residual.after(x, hidden, training)
        hidden = self.feed_forward(self.feed_forward_residual.before(x), training=training)
        x = self.feed_forward_residual.after(x, hidden, training)
        return EncoderLayerOutput(x, weights, keys_values)


class Encoder(LayerStack[EncoderLayer]):
    """The encoder's layers."""

    def __init__(
        self, config: ModelConfig, seed_generator: keras.random.SeedGenerator, name: str = "encoder"
    ) -> None:
        layers = [EncoderLayer(config, seed_generator, f"layer_{i}") for i in range(config.num_layers)]
        super().__init__(config, layers, name)

    def call(
        self,
        x: Tensor,
        mask: Tensor,
        training: bool = False,
        interventions: Interventions = UNCHANGED,
    ) -> EncoderOutput:
        """x (B, S, D), mask (B, 1, 1, S)."""
        gates, patch = interventions.gates, interventions.encoder_patch
        hidden = [patched(patch, 0, x)]
        outputs = []
        for index, layer in enumerate(self.layers):
            layer_gates = gates and gates.encoder[:, index]
            output = layer(hidden[-1], mask, training=training, gates=layer_gates)
            outputs.append(output)
            hidden.append(patched(patch, index + 1, output.hidden))
        return EncoderOutput(self.final(hidden[-1]), hidden, outputs)
