"""A trained Transformer, formula by formula, for one sentence: NumPy alone, no graph, nothing to compile.

It computes what `core.model` does, in float32, and is ready at once, where a graph takes seconds to trace. So the
first translation of a process comes from here. Many sentences are faster in a graph.

Axes: S source length, T target length, D model width, H heads, K head dimension, V vocabulary. No batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.theory.embedding import embed
from core.theory.model_parts import EMBEDDINGS, token_embedding_name
from core.theory.norm_placement import EPSILON
from core.theory.parts import Side
from core.theory.positional_encoding import sinusoidal_encoding

Floats = NDArray[np.float32]
_erf = np.vectorize(math.erf, otypes=[np.float32])


@dataclass
class LayerMemory:
    """What a layer's queries attend to."""

    keys: Floats  # (H, S, K)
    values: Floats  # (H, S, K)

    def extend(self, new: LayerMemory) -> None:
        """Take in those of the next positions."""
        self.keys = np.concatenate([self.keys, new.keys], axis=1)
        self.values = np.concatenate([self.values, new.values], axis=1)


class WholeModel:
    """The model of a config with its weights.

    Args:
        config: shape of the model.
        weights: by their names in a checkpoint.
    """

    def __init__(self, config: ModelConfig, weights: Mapping[str, Floats]) -> None:
        self._config = config
        self._weights = weights

    def encode(self, ids: list[int]) -> list[LayerMemory]:
        """Read a source: each decoder layer's keys and values of it."""
        x = self._embedded(ids, 0, "encoder")
        for index in range(self._config.num_layers):
            layer = f"encoder/layer_{index}"
            x = self._connected(f"{layer}/self_attention", x, self._self_attention)
            x = self._connected(f"{layer}/feed_forward", x, self._feed_forward)
        memory = self._final("encoder", x)
        layers = (f"decoder/layer_{index}/cross_attention" for index in range(self._config.num_layers))
        return [self._keys_values(self._dense(f"{layer}/key_value", memory)) for layer in layers]

    def nothing_written(self) -> list[LayerMemory]:
        """The `written` of a first `decode_step`."""
        nothing = np.zeros((self._config.num_heads, 0, self._config.head_dim), np.float32)
        return [LayerMemory(nothing, nothing) for _ in range(self._config.num_layers)]

    def decode_step(
        self, token: int, position: int, source: list[LayerMemory], written: list[LayerMemory]
    ) -> Floats:
        """Read one more token of the target.

        Args:
            token: its id.
            position: where it stands, from 0.
            source: from `encode`.
            written: each layer's keys and values of the positions before; this one's are added to it.

        Returns:
            Logits for the next token, (V,).
        """
        x = self._embedded([token], position, "decoder")
        for index, (read, before) in enumerate(zip(source, written, strict=True)):
            layer = f"decoder/layer_{index}"
            x = self._connected(f"{layer}/self_attention", x, partial(self._self_attention, before=before))
            x = self._connected(f"{layer}/cross_attention", x, partial(self._cross_attention, source=read))
            x = self._connected(f"{layer}/feed_forward", x, self._feed_forward)
        return self._logits(self._final("decoder", x)[0])

    def _embedded(self, ids: list[int], first_position: int, side: Side) -> Floats:
        """Token embedding times sqrt(d_model) plus positional encoding (3.4, 3.5), (T, D)."""
        end = first_position + len(ids)
        if self._config.positional_encoding == "learned":
            learned = self._weights[f"{EMBEDDINGS[side]}/positions/embeddings"]
            positions = embed(range(first_position, end), learned)
        else:
            positions = sinusoidal_encoding(end, self._config.d_model)[first_position:]
        return embed(ids, self._tokens(side)) + positions

    def _tokens(self, side: Side) -> Floats:
        return self._weights[token_embedding_name(self._config, side)]

    def _connected(self, path: str, x: Floats, sublayer: Callable[[str, Floats], Floats]) -> Floats:
        """A sublayer in its residual connection, the norm before it or after the sum (3.1)."""
        norm = f"{path}_residual/norm"
        if self._config.norm == "pre":
            return x + sublayer(path, self._normed(norm, x))
        return self._normed(norm, x + sublayer(path, x))

    def _self_attention(self, path: str, x: Floats, before: LayerMemory | None = None) -> Floats:
        """Of all positions to all, or of the next one to itself and those before, to which it is added."""
        queries, both = np.split(self._dense(f"{path}/query_key_value", x), [x.shape[1]], axis=1)
        seen = self._keys_values(both)
        if before is not None:
            before.extend(seen)
            seen = before
        return self._attention(path, queries, seen)

    def _cross_attention(self, path: str, x: Floats, source: LayerMemory) -> Floats:
        return self._attention(path, self._dense(f"{path}/query", x), source)

    def _attention(self, path: str, queries: Floats, source: LayerMemory) -> Floats:
        """softmax(Q K^T / sqrt(d_k)) V in all heads, equation (1), and the projection of their outputs."""
        split = self._split(queries) / np.float32(math.sqrt(self._config.head_dim))
        scores = split @ source.keys.swapaxes(1, 2)  # (H, T, S)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        heads = weights @ source.values  # (H, T, K) -> (T, H, K) -> (T, D)
        return self._dense(f"{path}/output", heads.swapaxes(0, 1).reshape(queries.shape))

    def _keys_values(self, both: Floats) -> LayerMemory:
        """(S, 2D) -> keys and values (H, S, K)."""
        return LayerMemory(*(self._split(half) for half in np.split(both, 2, axis=1)))

    def _split(self, x: Floats) -> Floats:
        """(T, D) -> (H, T, K)."""
        return x.reshape(len(x), self._config.num_heads, self._config.head_dim).swapaxes(0, 1)

    def _feed_forward(self, path: str, x: Floats) -> Floats:
        """Equation (2), with ReLU or GELU (Hendrycks & Gimpel 2016)."""
        inner = self._dense(f"{path}/inner", x)
        if self._config.activation == "relu":
            inner = np.maximum(inner, 0)
        else:
            inner = inner * (1 + _erf(inner / math.sqrt(2))) / 2
        return self._dense(f"{path}/outer", inner)

    def _dense(self, path: str, x: Floats) -> Floats:
        return x @ self._weights[f"{path}/kernel"] + self._weights[f"{path}/bias"]

    def _normed(self, path: str, x: Floats) -> Floats:
        """Mean 0 and variance 1 at each position, then the learned scale and shift (Ba et al. 2016)."""
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        return (
            centred / np.sqrt(variance + np.float32(EPSILON)) * self._weights[f"{path}/gamma"]
            + self._weights[f"{path}/beta"]
        )

    def _final(self, stack: str, x: Floats) -> Floats:
        return self._normed(f"{stack}/final_norm", x) if self._config.norm == "pre" else x

    def _logits(self, hidden: Floats) -> Floats:
        """Hidden (D,) -> logits (V,)."""
        tied = self._config.tie_embeddings
        return self._tokens("decoder") @ hidden if tied else self._dense("output", hidden)
