from collections.abc import Sequence
from typing import Any, NamedTuple

import keras

from core.config import ModelConfig
from core.model.attention import Cache, CrossAttention, KeysValues, SelfAttention
from core.model.feed_forward import FeedForward
from core.model.interventions import UNCHANGED, Interventions, patched
from core.model.residual import Residual
from core.model.stack import LayerStack
from core.model.tensor import Shape, Tensor


class DecoderMasks(NamedTuple):
    """True where a query may attend."""

    target: Tensor  # broadcasts to (B, H, T, T): no padding, nothing ahead
    source: Tensor  # (B, 1, 1, S): no padding


class DecoderLayerOutput(NamedTuple):
    """What one layer returns."""

    hidden: Tensor  # (B, T, D)
    self_weights: Tensor  # (B, H, T, T)
    cross_weights: Tensor  # (B, H, T, S)
    keys_values: Any  # of the target: `KeysValues`, or what a cache holds


class DecoderOutput(NamedTuple):
    """What the stack returns."""

    output: Tensor  # (B, T, D), what the logits are made from
    hidden: list[Tensor]  # L + 1 of (B, T, D): the embedding, then what leaves each layer
    layers: list[DecoderLayerOutput]


class DecoderLayer(keras.layers.Layer):
    """Masked self-attention, attention to the source, feed-forward, each in its connection (3.1)."""

    def __init__(self, config: ModelConfig, seed_generator: keras.random.SeedGenerator, name: str) -> None:
        super().__init__(name=name)
        self.self_attention = SelfAttention(config.d_model, config.num_heads)
        self.self_attention_residual = Residual(config, seed_generator, name="self_attention_residual")
        self.cross_attention = CrossAttention(config.d_model, config.num_heads)
        self.cross_attention_residual = Residual(config, seed_generator, name="cross_attention_residual")
        self.feed_forward = FeedForward(config, seed_generator)
        self.feed_forward_residual = Residual(config, seed_generator, name="feed_forward_residual")

    def build(self, shape: Shape) -> None:
        self.self_attention.build(shape)
        self.self_attention_residual.build(shape)
        self.cross_attention.build(shape)
        self.cross_attention_residual.build(shape)
        self.feed_forward.build(shape)
        self.feed_forward_residual.build(shape)

    def call(
        self,
        x: Tensor,
        source: KeysValues,
        masks: DecoderMasks,
        cache: Cache | None = None,
        training: bool = False,
        self_gates: Tensor | None = None,
        cross_gates: Tensor | None = None,
    ) -> DecoderLayerOutput:
        """x (B, T, D): all positions, or with `cache` those that come after the cached ones; gates (B, H)."""
        hidden, self_weights, keys_values = self.self_attention(
            self.self_attention_residual.before(x), masks.target, cache=cache, gates=self_gates
        )
        x = self.self_attention_residual.after(x, hidden, training)
        hidden, cross_weights = self.cross_attention(
            self.cross_attention_residual.before(x), source, masks.source, gates=cross_gates
        )
        x = self.cross_attention_residual.after(x, hidden, training)
        hidden = self.feed_forward(self.feed_forward_residual.before(x), training=training)
        x = self.feed_forward_residual.after(x, hidden, training)
        return DecoderLayerOutput(x, self_weights, cross_weights, keys_values)


class Decoder(LayerStack[DecoderLayer]):
    """The decoder's layers."""

    def __init__(
        self, config: ModelConfig, seed_generator: keras.random.SeedGenerator, name: str = "decoder"
    ) -> None:
        layers = [DecoderLayer(config, seed_generator, f"layer_{i}") for i in range(config.num_layers)]
        super().__init__(config, layers, name)

    def source_keys_values(self, memory: Tensor) -> list[KeysValues]:
        """The encoder's output (B, S, D) as keys and values of each layer's cross-attention."""
        return [layer.cross_attention.keys_values(memory) for layer in self.layers]

    def call(
        self,
        x: Tensor,
        source: list[KeysValues],
        masks: DecoderMasks,
        caches: Sequence[Cache] | None = None,
        training: bool = False,
        interventions: Interventions = UNCHANGED,
    ) -> DecoderOutput:
        """x (B, T, D): all positions, or with `caches`, one a layer, those that come after the cached ones."""
        gates, patch = interventions.gates, interventions.decoder_patch
        hidden = [patched(patch, 0, x)]
        outputs = []
        for index, layer in enumerate(self.layers):
            output = layer(
                hidden[-1],
                source[index],
                masks,
                cache=None if caches is None else caches[index],
                training=training,
                self_gates=gates and gates.decoder[:, index],
                cross_gates=gates and gates.cross[:, index],
            )
            outputs.append(output)
            hidden.append(patched(patch, index + 1, output.hidden))
        return DecoderOutput(self.final(hidden[-1]), hidden, outputs)
