"""The Transformer's forward pass in NumPy, for translating and explaining; `core.model` is the same in Keras.

The formulas are those of `core.theory`, which pages show. Read `encode` and `_decoder_stack` first, in the order of the
paper's figure 1. Axis letters: see `core.config`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from core.arrays import Bools, Floats, Ids, Places
from core.config import ModelConfig
from core.records.attention import AttentionKind
from core.theory.activations import gelu, relu
from core.theory.attention import scaled_dot_product_attention
from core.theory.attention_steps import concatenate_heads, split_heads
from core.theory.embedding import embed
from core.theory.masks import decoder_mask, padding_mask
from core.theory.model_parts import EMBEDDINGS, token_embedding_name
from core.theory.norm_placement import layer_norm
from core.theory.parts import Side
from core.theory.positional_encoding import sinusoidal_encoding
from core.weights import Weights

_OVERFLOW_IS_CHECKED = np.errstate(all="ignore")  # by `core.inference.search.check_finite`
_FEW_ROWS = 7
_LARGE_KERNEL = 1 << 17  # numbers, 512 kB
_PART_COLUMNS = 512


@dataclass(frozen=True)
class Patch:
    """Hidden states of another run that replace a stack's own (activation patching, Vig et al. 2020).

    The first of the L + 1 states is the embedding that enters the first layer; each other one leaves a layer.
    """

    hidden: Floats  # (B or 1, L + 1, T, D)
    replaced: Bools  # (B or 1, L + 1, T), True where `hidden` replaces the state


@dataclass(frozen=True)
class Interventions:
    """Changes to a forward pass; None changes nothing. The batch axis may be 1 for all rows."""

    source_mask: Bools | None = None  # (B, 1, 1, S), True where attention is allowed; None masks padding
    # Factors of each head's output, (B, L, H): 1 keeps a head, 0 switches it off (Michel et al. 2019).
    encoder_gates: Floats | None = None
    decoder_gates: Floats | None = None
    cross_gates: Floats | None = None
    encoder_patch: Patch | None = None
    decoder_patch: Patch | None = None


UNCHANGED = Interventions()


class Attention(NamedTuple):
    """Attention weights of all layers and heads."""

    encoder: Floats  # (B, L, H, S, S)
    decoder: Floats  # (B, L, H, T, T)
    cross: Floats  # (B, L, H, T, S)


class Trace(NamedTuple):
    """The intermediate results of one forward pass."""

    logits: Floats  # (B, T, V)
    attention: Attention
    # (B, L + 1, S, D) and (B, L + 1, T, D): the embedding, then each layer's output.
    hidden: dict[Side, Floats]
    values: dict[AttentionKind, Floats]  # that attention sums: (B, L, H, S, K); of "decoder" (B, L, H, T, K)


class KeysValues(NamedTuple):
    """Keys and values of all heads, which queries attend to."""

    keys: Floats  # (B, H, S, K)
    values: Floats  # (B, H, S, K)


class Source(NamedTuple):
    """Encoded sources, ready for the decoder."""

    layers: list[KeysValues]  # for the cross-attention of each decoder layer
    mask: Bools | None  # (B, 1, 1, S); None if there is no padding


@dataclass
class _Recorder:
    """The intermediate results of one stack, layer by layer."""

    hidden: list[Floats] = field(default_factory=list)
    attention: list[Floats] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    cross_attention: list[Floats] = field(default_factory=list)


class InferenceModel:
    """A Transformer that translates and explains, with the weights of a checkpoint. Read-only: threads may share it."""

    def __init__(self, config: ModelConfig, weights: Weights) -> None:
        self.config = config
        self.weights = weights
        self._positions = {
            "encoder": self._position_table("encoder", config.max_source_length),
            "decoder": self._position_table("decoder", config.max_target_length),
        }
        tied = config.tie_embeddings
        # Contiguous: products with a few rows take half the time.
        self._output = (
            np.ascontiguousarray(self._tokens("decoder").T) if tied else self.weights["output/kernel"]
        )
        self._output_bias = None if tied else self.weights["output/bias"]

    @_OVERFLOW_IS_CHECKED
    def encode(
        self,
        source_ids: Ids,
        interventions: Interventions = UNCHANGED,
        recorder: _Recorder | None = None,
    ) -> Source:
        """Encode sources (B, S), padded with 0, once for all decoding steps."""
        given = interventions.source_mask
        allowed = padding_mask(source_ids) if given is None else given
        mask = None if allowed.all() else allowed
        x = _patched(interventions.encoder_patch, 0, self._embedded(source_ids, 0, "encoder"))
        if recorder is not None:
            recorder.hidden.append(x)
        for index in range(self.config.num_layers):
            layer = f"encoder/layer_{index}"
            gates = _layer_gates(interventions.encoder_gates, index)
            x = self._self_attention(f"{layer}/self_attention", x, mask, None, gates, recorder)
            x = self._feed_forward(f"{layer}/feed_forward", x)
            x = _patched(interventions.encoder_patch, index + 1, x)
            if recorder is not None:
                recorder.hidden.append(x)
        memory = self.final_norm("encoder", x)
        layers = [f"decoder/layer_{index}/cross_attention" for index in range(self.config.num_layers)]
        return Source([self.source_keys_values(layer, memory) for layer in layers], mask)

    @_OVERFLOW_IS_CHECKED
    def trace(self, source_ids: Ids, target_ids: Ids, interventions: Interventions = UNCHANGED) -> Trace:
        """Run encoder and decoder over whole sentences (teacher forcing) and return all intermediate results.

        Args:
            source_ids: (B, S), padded with 0.
            target_ids: (B, T), the decoder's input: start, then the target; padded with 0.
            interventions: changes to the pass.
        """
        encoder = _Recorder()
        decoder = _Recorder()
        source = self.encode(source_ids, interventions, encoder)
        return Trace(
            logits=self._forced_logits(target_ids, source, interventions, decoder),
            attention=Attention(
                *map(_layers, (encoder.attention, decoder.attention, decoder.cross_attention))
            ),
            hidden={"encoder": _layers(encoder.hidden), "decoder": _layers(decoder.hidden)},
            values={
                "encoder": _layers(encoder.values),
                "decoder": _layers(decoder.values),
                "cross": _layers([layer.values for layer in source.layers]),
            },
        )

    @_OVERFLOW_IS_CHECKED
    def logits(self, source_ids: Ids, target_ids: Ids, interventions: Interventions = UNCHANGED) -> Floats:
        """Run encoder and decoder over whole sentences (teacher forcing) and return the logits (B, T, V)."""
        source = self.encode(source_ids, interventions)
        return self._forced_logits(target_ids, source, interventions, None)

    def _forced_logits(
        self, target_ids: Ids, source: Source, interventions: Interventions, recorder: _Recorder | None
    ) -> Floats:
        """Return the logits at all positions of whole targets (B, T)."""
        mask = decoder_mask(target_ids) if self.config.causal_mask else padding_mask(target_ids)
        x = self._embedded(target_ids, 0, "decoder")
        return self._logits(self._decoder_stack(x, source, mask, None, interventions, recorder))

    @_OVERFLOW_IS_CHECKED
    def decode_step(
        self,
        ids: Ids,
        position: int,
        source: Source,
        caches: Sequence[KeyValueCache],
        interventions: Interventions,
    ) -> Floats:
        """Read the next target token of M beams of each sentence, over the cached keys and values.

        The cache holds no future positions, so a model without a causal mask decodes as if it had one.

        Args:
            ids: (B, M), the tokens at `position`.
            position: position of the tokens, from 0.
            source: the result of `encode`.
            caches: one per layer, with the positions before; this position is appended.
            interventions: gates of the decoder's heads.

        Returns:
            Logits of the next token, (B, M, V).
        """
        x = self._embedded(ids[..., None], position, "decoder")[:, :, 0]  # (B, M, D)
        return self._logits(self._decoder_stack(x, source, None, caches, interventions, None))

    def _decoder_stack(
        self,
        x: Floats,
        source: Source,
        mask: Bools | None,
        caches: Sequence[KeyValueCache] | None,
        interventions: Interventions,
        recorder: _Recorder | None,
    ) -> Floats:
        """Run all decoder layers on x (B, T, D); with caches, on the next position of M beams, (B, M, D)."""
        x = _patched(interventions.decoder_patch, 0, x)
        if recorder is not None:
            recorder.hidden.append(x)
        for index in range(self.config.num_layers):
            layer = f"decoder/layer_{index}"
            cache = None if caches is None else caches[index]
            gates = _layer_gates(interventions.decoder_gates, index)
            x = self._self_attention(f"{layer}/self_attention", x, mask, cache, gates, recorder)
            gates = _layer_gates(interventions.cross_gates, index)
            x = self._cross_attention(
                f"{layer}/cross_attention", x, source.layers[index], source.mask, gates, recorder
            )
            x = self._feed_forward(f"{layer}/feed_forward", x)
            x = _patched(interventions.decoder_patch, index + 1, x)
            if recorder is not None:
                recorder.hidden.append(x)
        return self.final_norm("decoder", x)

    def _embedded(self, ids: Ids, first_position: int, side: Side) -> Floats:
        """Return token embeddings times sqrt(D) (3.4) plus positional encodings (3.5): (…, T) -> (…, T, D)."""
        positions = self._positions[side][first_position : first_position + ids.shape[-1]]
        return embed(ids, self._tokens(side)) + positions

    def _self_attention(
        self,
        path: str,
        x: Floats,
        mask: Bools | None,
        cache: KeyValueCache | None,
        gates: Floats | None,
        recorder: _Recorder | None,
    ) -> Floats:
        """Apply masked self-attention with its residual connection (3.2.3); a cache supplies earlier positions."""
        # With a cache, one new position of each beam, (B, M, 1, D).
        queries, keys, values = self.self_heads(path, x if cache is None else x[:, :, None])
        if cache is not None:
            keys, values = cache.append(keys, values)
        output, weights = scaled_dot_product_attention(queries, keys, values, mask)
        if recorder is not None:
            recorder.attention.append(weights)
            recorder.values.append(values)
        return self.add_heads(path, x, _gated(output, gates))

    def _cross_attention(
        self,
        path: str,
        x: Floats,
        source: KeysValues,
        mask: Bools | None,
        gates: Floats | None,
        recorder: _Recorder | None,
    ) -> Floats:
        """Apply cross-attention to the encoded source, with its residual connection (3.2.3)."""
        queries = self.cross_queries(path, x)
        output, weights = scaled_dot_product_attention(queries, source.keys, source.values, mask)
        if recorder is not None:
            recorder.cross_attention.append(weights)
        return self.add_heads(path, x, _gated(output, gates))

    def self_heads(self, path: str, x: Floats) -> Sequence[Floats]:
        """Project x (…, T, D) to the queries, keys and values of a self-attention, each (…, H, T, K)."""
        num_heads = self.config.num_heads
        # (…, T, 3D) -> (…, 3H, T, K) -> three of (…, H, T, K)
        heads = split_heads(
            self._dense(f"{path}/query_key_value", self.sublayer_input(path, x)), 3 * num_heads
        )
        return [heads[..., n * num_heads : (n + 1) * num_heads, :, :] for n in range(3)]

    def cross_queries(self, path: str, x: Floats) -> Floats:
        """Project x (…, T, D) to the queries of a cross-attention, (…, H, T, K)."""
        return split_heads(self._dense(f"{path}/query", self.sublayer_input(path, x)), self.config.num_heads)

    def add_heads(self, path: str, x: Floats, heads: Floats) -> Floats:
        """Join the heads' outputs (…, H, T, K), project them, and add the residual x."""
        joined = concatenate_heads(heads).reshape(x.shape)
        return self._residual(path, x, self._dense(f"{path}/output", joined))

    def _feed_forward(self, path: str, x: Floats) -> Floats:
        """Apply the feed-forward network with its residual connection, equation (2)."""
        activation = relu if self.config.activation == "relu" else gelu
        inner = activation(self._dense(f"{path}/inner", self.sublayer_input(path, x)))
        return self._residual(path, x, self._dense(f"{path}/outer", inner))

    def sublayer_input(self, path: str, x: Floats) -> Floats:
        """Return a sublayer's input: x, or LayerNorm(x) with pre-norm (Xiong et al. 2020)."""
        return self._layer_norm(f"{path}_residual/norm", x) if self.config.norm == "pre" else x

    def _residual(self, path: str, x: Floats, output: Floats) -> Floats:
        """Return x + output, or LayerNorm(x + output) with post-norm (3.1)."""
        total = x + output
        return self._layer_norm(f"{path}_residual/norm", total) if self.config.norm == "post" else total

    def _layer_norm(self, path: str, x: Floats) -> Floats:
        return layer_norm(x, self.weights[f"{path}/gamma"], self.weights[f"{path}/beta"])

    def final_norm(self, stack: str, x: Floats) -> Floats:
        """Return a stack's output; a pre-norm stack ends in a layer norm."""
        return self._layer_norm(f"{stack}/final_norm", x) if self.config.norm == "pre" else x

    def _dense(self, path: str, x: Floats) -> Floats:
        """Return x W + b, with all positions as rows of one product, (…, D) -> (…, units)."""
        rows = _product(x.reshape(-1, x.shape[-1]), self.weights[f"{path}/kernel"])
        rows += self.weights[f"{path}/bias"]
        return rows.reshape(*x.shape[:-1], rows.shape[1])

    def source_keys_values(self, path: str, memory: Floats) -> KeysValues:
        """Project the encoder's output (B, S, D) to keys and values of one cross-attention, once for all steps."""
        num_heads = self.config.num_heads
        heads = split_heads(self._dense(f"{path}/key_value", memory), 2 * num_heads)
        return KeysValues(
            *(np.ascontiguousarray(half) for half in (heads[:, :num_heads], heads[:, num_heads:]))
        )

    def _logits(self, hidden: Floats) -> Floats:
        """Project hidden states to the vocabulary (3.4): (…, D) -> (…, V)."""
        rows = _product(hidden.reshape(-1, hidden.shape[-1]), self._output)
        if self._output_bias is not None:
            rows += self._output_bias
        return rows.reshape(*hidden.shape[:-1], rows.shape[-1])

    def _tokens(self, side: Side) -> Floats:
        return self.weights[token_embedding_name(self.config, side)]

    def _position_table(self, side: Side, length: int) -> Floats:
        """Return the encodings of all positions, (length, D)."""
        if self.config.positional_encoding == "sinusoidal":
            return sinusoidal_encoding(length, self.config.d_model)
        if self.config.positional_encoding == "none":
            return np.zeros((length, self.config.d_model), np.float32)
        return embed(np.arange(length), self.weights[f"{EMBEDDINGS[side]}/positions/embeddings"])


class KeyValueCache:
    """Keys and values of the target positions that one decoder layer has read, for M beams of B sentences.

    The arrays have room for more positions, and double when they are full.
    """

    def __init__(self, sentences: int, beams: int, config: ModelConfig) -> None:
        shape = (sentences, beams, config.num_heads, 16, config.head_dim)
        self._keys = np.empty(shape, np.float32)
        self._values = np.empty(shape, np.float32)
        self._length = 0

    def append(self, keys: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Append the next position's keys and values (B, M, H, 1, K), and return all so far, (B, M, H, T, K)."""
        if self._length == self._keys.shape[3]:
            self._keys, self._values = (
                np.concatenate([array, np.empty_like(array)], axis=3) for array in (self._keys, self._values)
            )
        beams = keys.shape[1]
        end = self._length + 1
        self._keys[:, :beams, :, self._length] = keys[:, :, :, 0]
        self._values[:, :beams, :, self._length] = values[:, :, :, 0]
        self._length = end
        return self._keys[:, :beams, :, :end], self._values[:, :beams, :, :end]

    def reorder(self, parents: Places) -> None:
        """Let beam m of each sentence continue beam `parents[:, m]`; only changed beams and filled slots are copied."""
        sentences, beams = np.nonzero(parents != np.arange(parents.shape[1]))
        if len(sentences):
            source = parents[sentences, beams]
            for array in (self._keys, self._values):
                array[sentences, beams, :, : self._length] = array[sentences, source, :, : self._length]

    def keep(self, order: Places) -> None:
        """Keep only the sentences `order`, in that order."""
        self._keys = _kept(self._keys, order)
        self._values = _kept(self._values, order)


class DecoderState:
    """A decoder with its cache, run step by step by a search, for B sentences with up to M beams.

    Args:
        model: the model to decode with.
        source_ids: (B, S), padded with 0.
        beams: M.
        interventions: changes to the pass; the batch axis of gates must be 1.
    """

    def __init__(
        self,
        model: InferenceModel,
        source_ids: Ids,
        beams: int = 1,
        interventions: Interventions = UNCHANGED,
    ) -> None:
        self._model = model
        self._interventions = interventions
        self._source = model.encode(source_ids, interventions)
        self._caches = [
            KeyValueCache(len(source_ids), beams, model.config) for _ in range(model.config.num_layers)
        ]
        self._position = 0

    def step(self, ids: Ids) -> Floats:
        """Read the next token (B, M) of each beam, and return the logits of the token after it, (B, M, V)."""
        logits = self._model.decode_step(ids, self._position, self._source, self._caches, self._interventions)
        self._position += 1
        return logits

    def reorder(self, parents: Places) -> None:
        """Let beam m continue beam `parents[:, m]`; `parents` is (B, M)."""
        for cache in self._caches:
            cache.reorder(parents)

    def keep(self, order: Places) -> None:
        """Keep only the sentences `order`, in that order."""
        for cache in self._caches:
            cache.keep(order)
        layers = [
            KeysValues(_kept(keys, order), _kept(values, order)) for keys, values in self._source.layers
        ]
        mask = self._source.mask
        if mask is not None and len(mask) > 1:
            mask = mask[order]
        self._source = Source(layers, mask)


def _layers(arrays: Sequence[Floats]) -> Floats:
    """Join arrays (B, …) of a stack's layers to (B, L, …)."""
    return np.stack(arrays, axis=1)


def _kept(array: Floats, order: Places) -> Floats:
    """Move the rows `order` to the front of an array and return them; rows already in place are not copied."""
    moved = np.flatnonzero(order != np.arange(len(order)))
    array[moved] = array[order[moved]]
    return array[: len(order)]


def _product(rows: Floats, kernel: Floats) -> Floats:
    """Return rows @ kernel, (N, D) @ (D, units)."""
    if 1 < len(rows) <= _FEW_ROWS and kernel.size >= _LARGE_KERNEL:
        return _product_of_few_rows(rows, kernel)
    return rows @ kernel


def _product_of_few_rows(rows: Floats, kernel: Floats) -> Floats:
    """Return rows @ kernel, part by part, for two to seven rows and a large kernel.

    Here reading the kernel takes longer than multiplying, and OpenBLAS reads it fastest for a single row. So each part is
    first multiplied with one row. That product is thrown away, but it leaves the part in the processor's cache for all
    rows: 0.6 ms instead of 0.95 for (4, 256) @ (256, 8000) on one core.
    """
    product = np.empty((len(rows), kernel.shape[1]), np.float32)
    for first in range(0, kernel.shape[1], _PART_COLUMNS):
        part = slice(first, first + _PART_COLUMNS)
        _ = rows[:1] @ kernel[:, part]
        np.matmul(rows, kernel[:, part], out=product[:, part])
    return product


def _layer_gates(gates: Floats | None, index: int) -> Floats | None:
    """Return one layer's gates, (B, H)."""
    return None if gates is None else gates[:, index]


def _gated(heads: Floats, gates: Floats | None) -> Floats:
    """Multiply the heads' outputs (B, …, H, T, K) by their gates (B, H)."""
    if gates is None:
        return heads
    between = (1,) * (heads.ndim - 4)
    return heads * gates.reshape(len(gates), *between, -1, 1, 1)


def _patched(patch: Patch | None, place: int, x: Floats) -> Floats:
    """Replace some of the hidden states x (B, T, D) at one of the L + 1 places of a stack."""
    if patch is None:
        return x
    return np.where(patch.replaced[:, place, :, None], patch.hidden[:, place], x)
