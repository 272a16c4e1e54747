"""The whole model, in the order of the paper's figure 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from core.config import ModelConfig
from core.model.attention import Cache, KeysValues, look_ahead_mask, padding_mask
from core.model.decoder import Decoder, DecoderMasks, DecoderOutput
from core.model.dense import Dense
from core.model.embedding import Embedding, token_embedding
from core.model.encoder import Encoder, EncoderOutput
from core.model.interventions import UNCHANGED, Interventions
from core.model.tensor import Shape, Tensor, known_batch, length_of
from core.weights import Weights, weight_shapes


class AttentionWeights(NamedTuple):
    """Attention of all layers; returned, never kept on a layer."""

    encoder: Tensor  # (B, L, H, S, S)
    decoder: Tensor  # (B, L, H, T, T)
    cross: Tensor  # (B, L, H, T, S)


class Trace(NamedTuple):
    """Everything that one forward pass computes."""

    logits: Tensor  # (B, T, V)
    attention: AttentionWeights
    encoder_hidden: Tensor  # (B, L + 1, S, D): the embedding, then what leaves each layer
    decoder_hidden: Tensor  # (B, L + 1, T, D)
    encoder_values: Tensor  # (B, L, H, S, K), what self-attention sums up
    decoder_values: Tensor  # (B, L, H, T, K)
    cross_values: Tensor  # (B, L, H, S, K)


class Source(NamedTuple):
    """A source sentence as the decoder needs it, computed once."""

    keys_values: list[KeysValues]  # one a layer, of S positions
    mask: Tensor  # (B, 1, 1, S)


@keras.saving.register_keras_serializable(package="transformer_classroom")
class Transformer(keras.Model):
    """Encoder and decoder (3.1), from token ids to logits. Masks are built from the ids: 0 is pad.

    Args:
        config: the shape of the model.

    Example:
        >>> model = Transformer(ModelConfig(source_vocab_size=38, target_vocab_size=35))
        >>> model(source_ids, decoder_input_ids).shape  # (B, S), (B, T) -> (B, T, V)
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(name="transformer")
        self.config = config
        self.seed_generator = keras.random.SeedGenerator(0, name="seed_generator")
        self.shared_tokens = (
            token_embedding(config.target_vocab_size, config, "shared_embedding")
            if config.share_embeddings
            else None
        )
        self.source_embedding = Embedding(
            self.shared_tokens or token_embedding(config.source_vocab_size, config),
            config.max_source_length,
            config,
            self.seed_generator,
            "source_embedding",
        )
        self.target_embedding = Embedding(
            self.shared_tokens or token_embedding(config.target_vocab_size, config),
            config.max_target_length,
            config,
            self.seed_generator,
            "target_embedding",
        )
        self.encoder = Encoder(config, self.seed_generator)
        self.decoder = Decoder(config, self.seed_generator)
        self.projection = None if config.tie_embeddings else Dense(config.target_vocab_size, name="output")
        self.build((None, None))

    def build(self, ids_shape: Shape) -> None:
        """Make every weight at once; what the ids are does not matter."""
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
        """Logits for the token after each target position.

        Args:
            source_ids: (B, S)
            target_ids: (B, T), the decoder's input: start, then the target so far
            training: whether dropout is on

        Returns:
            Logits (B, T, V).
        """
        return self.forward(source_ids, target_ids, training=training)[0]

    def forward(
        self, source_ids: Tensor, target_ids: Tensor, training: bool = False
    ) -> tuple[Tensor, AttentionWeights]:
        """As `call`, with the attention of all layers and heads beside the logits."""
        hidden, attention = self.hidden(source_ids, target_ids, training=training)
        return self._logits(hidden), attention

    def hidden(
        self, source_ids: Tensor, target_ids: Tensor, training: bool = False, targets_per_source: int = 1
    ) -> tuple[Tensor, AttentionWeights]:
        """As `forward`, but what the logits are made from, (B, T, D), for a loss that need not make them all.

        With several targets a source, target_ids is (B * targets_per_source, T): the first source's, then the second's.
        """
        encoded, _, decoded = self._run(source_ids, target_ids, None, training, UNCHANGED, targets_per_source)
        return decoded.output, _attention(encoded, decoded)

    def trace(
        self,
        source_ids: Tensor,
        target_ids: Tensor,
        masks: DecoderMasks | None = None,
        interventions: Interventions = UNCHANGED,
    ) -> Trace:
        """As `forward`, returning everything that is computed, with changes to it as arguments.

        Args:
            source_ids: (B, S)
            target_ids: (B, T)
            masks: where positions may attend; None hides padding and what lies ahead
            interventions: heads switched off, hidden states swapped
        """
        encoded, source, decoded = self._run(source_ids, target_ids, masks, False, interventions)
        heads = self.config.num_heads
        return Trace(
            logits=self._logits(decoded.output),
            attention=_attention(encoded, decoded),
            encoder_hidden=ops.stack(encoded.hidden, axis=1),
            decoder_hidden=ops.stack(decoded.hidden, axis=1),
            encoder_values=_values([layer.keys_values for layer in encoded.layers], heads),
            decoder_values=_values([layer.keys_values for layer in decoded.layers], heads),
            cross_values=_values(source, heads),
        )

    def _run(
        self,
        source_ids: Tensor,
        target_ids: Tensor,
        masks: DecoderMasks | None,
        training: bool,
        interventions: Interventions,
        targets_per_source: int = 1,
    ) -> tuple[EncoderOutput, list[KeysValues], DecoderOutput]:
        """The encoder, the keys and values that the decoder's layers make of its output, the decoder."""
        if masks is None:
            seen = ops.logical_and(padding_mask(target_ids), look_ahead_mask(ops.shape(target_ids)[1]))
            masks = DecoderMasks(target=seen, source=padding_mask(source_ids))
        encoded = self.encoder(
            self.source_embedding(source_ids, training=training),
            masks.source,
            training=training,
            interventions=interventions,
        )
        memory = encoded.memory
        if targets_per_source > 1:
            memory = ops.repeat(memory, targets_per_source, axis=0)
            masks = masks._replace(source=ops.repeat(masks.source, targets_per_source, axis=0))
        source = self.decoder.source_keys_values(memory)
        decoded = self.decoder(
            self.target_embedding(target_ids, training=training),
            source,
            masks,
            training=training,
            interventions=interventions,
        )
        return encoded, source, decoded

    def encode(
        self,
        source_ids: Tensor,
        mask: Tensor | None = None,
        interventions: Interventions = UNCHANGED,
    ) -> Source:
        """Read the source (B, S) once, for any number of `decode_step`; `mask` (B, 1, 1, S) hides padding by default."""
        mask = padding_mask(source_ids) if mask is None else mask
        encoded = self.encoder(self.source_embedding(source_ids), mask, interventions=interventions)
        return Source(self.decoder.source_keys_values(encoded.memory), mask)

    def decode_step(
        self,
        ids: Tensor,
        position: Tensor,
        source: Source,
        caches: Sequence[Cache],
        seen: Tensor,
        interventions: Interventions = UNCHANGED,
        transposed: Tensor | None = None,
    ) -> tuple[Tensor, list[Any], list[Tensor]]:
        """One target position of M beams a sentence, with the keys and values of those before it cached.

        Args:
            ids: (B, M), the token at `position` of each beam
            position: scalar, from 0
            source: what `encode` returned
            caches: one a layer, of T * M slots, filled before slot `position` * M
            seen: broadcasts to (B, 1, M, T * M); True on the slots a beam may attend to, its own new one too
            interventions: the gates of the decoder's heads
            transposed: what `transposed_embedding` returned; without it each step's product transposes

        Returns:
            Logits for the next token (B, M, V), each layer's slots with this position filled in, and each
            layer's cross-attention (B, H, M, S).
        """
        beams = length_of(ids, 1)
        # All beams are at one position: (B, M) -> (B * M, 1) -> (B, M, D)
        embedded = self.target_embedding(ops.reshape(ids, (-1, 1)), first_position=position)
        output = self.decoder(
            ops.reshape(embedded, (known_batch(ids), beams, self.config.d_model)),
            source.keys_values,
            DecoderMasks(target=seen, source=source.mask),
            caches=caches,
            interventions=interventions,
        )
        return (
            self._logits(output.output, transposed),
            [layer.keys_values for layer in output.layers],
            [layer.cross_weights for layer in output.layers],
        )

    def output_projection(self) -> tuple[Tensor, Tensor | None]:
        """The matrix (V, D) and the bias (V,), if any, that make logits from hidden states (3.4)."""
        # Their values now: a variable that is used after `bound` has ended is the shared model's own, which
        # is never trained, and ops.convert_to_tensor would pass it on as it is.
        if self.projection is None:
            return self.target_embedding.tokens.embeddings.value, None
        return ops.transpose(self.projection.kernel.value), self.projection.bias.value

    def transposed_embedding(self) -> Tensor | None:
        """The embedding matrix that is the output projection too, (D, V), for many steps; None if that has its own."""
        return self.target_embedding.transposed() if self.projection is None else None

    def _logits(self, hidden: Tensor, transposed: Tensor | None = None) -> Tensor:
        if self.projection is None:
            return self.target_embedding.logits(hidden, transposed)
        return self.projection(hidden)

    def get_config(self) -> dict[str, Any]:
        """Plain values, for `.keras` files."""
        return {"config": self.config.to_dict()}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Transformer:
        """The reverse of `get_config`."""
        return cls(ModelConfig.from_dict(config["config"]))

    def variables_by_name(self) -> dict[str, keras.Variable]:
        """The trainable variables under the names of `weight_shapes`, in its order."""
        by_path = {variable.path.split("/", 1)[1]: variable for variable in self.trainable_variables}
        return {name: by_path[name] for name in weight_shapes(self.config)}

    def assign_weights(self, weights: Weights) -> None:
        """Assign weights by name."""
        for name, variable in self.variables_by_name().items():
            variable.assign(weights[name])


def _attention(encoded: EncoderOutput, decoded: DecoderOutput) -> AttentionWeights:
    return AttentionWeights(
        encoder=ops.stack([layer.weights for layer in encoded.layers], axis=1),
        decoder=ops.stack([layer.self_weights for layer in decoded.layers], axis=1),
        cross=ops.stack([layer.cross_weights for layer in decoded.layers], axis=1),
    )


def _values(layers: list[KeysValues], num_heads: int) -> Tensor:
    """The values of all layers, (B, L, H, S, K)."""
    stacked = ops.stack([layer.values for layer in layers], axis=1)  # (B * H, L, S, K)
    _, num_layers, length, head_dim = ops.shape(stacked)
    # (B * H, L, S, K) -> (B, H, L, S, K) -> (B, L, H, S, K)
    stacked = ops.reshape(stacked, (-1, num_heads, num_layers, length, head_dim))
    return ops.transpose(stacked, (0, 2, 1, 3, 4))
