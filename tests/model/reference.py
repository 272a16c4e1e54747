"""The whole Transformer a second time: NumPy, float64, masks and positions from core.theory, weights by name."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.theory.attention import scaled_dot_product_attention
from core.theory.masks import decoder_mask, padding_mask
from core.theory.positional_encoding import sinusoidal_encoding
from core.weights import Weights

Array = NDArray[np.float64]
Ids = NDArray[np.int32]


@dataclass
class Result:
    logits: Array  # (B, T, V)
    encoder: Array  # (B, L, H, S, S)
    decoder: Array  # (B, L, H, T, T)
    cross: Array  # (B, L, H, T, S)


class Reference:
    """Written from the paper's sections 3.1 to 3.5, to share nothing with core.model but the weights."""

    def __init__(self, config: ModelConfig, weights: Weights) -> None:
        self.config = config
        self.weights = {name: array.astype(np.float64) for name, array in weights.items()}

    def forward(self, source_ids: Ids, target_ids: Ids) -> Result:
        source_mask, target_mask = padding_mask(source_ids), decoder_mask(target_ids)
        encoder, decoder, cross = [], [], []

        memory = self.embed("source_embedding", source_ids, self.config.max_source_length)
        for i in range(self.config.num_layers):
            name = f"encoder/layer_{i}"
            memory, rows = self.self_attention(name, memory, source_mask)
            encoder.append(rows)
            memory = self.feed_forward(name, memory)
        if self.config.norm == "pre":
            memory = self.norm("encoder/final_norm", memory)

        x = self.embed("target_embedding", target_ids, self.config.max_target_length)
        for i in range(self.config.num_layers):
            name = f"decoder/layer_{i}"
            x, rows = self.self_attention(name, x, target_mask)
            decoder.append(rows)
            x, rows = self.cross_attention(name, x, memory, source_mask)
            cross.append(rows)
            x = self.feed_forward(name, x)
        if self.config.norm == "pre":
            x = self.norm("decoder/final_norm", x)

        if self.config.tie_embeddings:
            logits = x @ self.weights["target_embedding/tokens/embeddings"].T
        else:
            logits = self.dense("output", x)
        return Result(logits, np.stack(encoder, 1), np.stack(decoder, 1), np.stack(cross, 1))

    def embed(self, name: str, ids: Ids, max_length: int) -> Array:
        scale = math.sqrt(self.config.d_model)
        if self.config.positional_encoding == "learned":
            positions = self.weights[f"{name}/positions/embeddings"] * scale
        else:
            positions = sinusoidal_encoding(max_length, self.config.d_model).astype(np.float64)
        return np.asarray(self.weights[f"{name}/tokens/embeddings"][ids] * scale + positions[: ids.shape[1]])

    def self_attention(self, layer: str, x: Array, mask: NDArray[np.bool_]) -> tuple[Array, Array]:
        inputs = self.before(f"{layer}/self_attention_residual", x)
        queries, keys, values = np.split(self.dense(f"{layer}/self_attention/query_key_value", inputs), 3, -1)
        return self.attend(layer, "self_attention", x, (queries, keys, values), mask)

    def cross_attention(
        self, layer: str, x: Array, memory: Array, mask: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        queries = self.dense(
            f"{layer}/cross_attention/query", self.before(f"{layer}/cross_attention_residual", x)
        )
        keys, values = np.split(self.dense(f"{layer}/cross_attention/key_value", memory), 2, -1)
        return self.attend(layer, "cross_attention", x, (queries, keys, values), mask)

    def attend(
        self, layer: str, kind: str, x: Array, parts: tuple[Array, Array, Array], mask: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        width = self.config.head_dim
        outputs, rows = [], []
        for head in range(self.config.num_heads):  # one head after the other, as the paper tells it
            mine = slice(head * width, (head + 1) * width)
            queries, keys, values = (part[..., mine] for part in parts)
            output, weights = scaled_dot_product_attention(queries, keys, values, mask[:, 0])
            outputs.append(output)
            rows.append(weights)
        merged = self.dense(f"{layer}/{kind}/output", np.concatenate(outputs, -1))
        return self.after(f"{layer}/{kind}_residual", x, merged), np.stack(rows, 1)

    def feed_forward(self, layer: str, x: Array) -> Array:
        inner = self.dense(f"{layer}/feed_forward/inner", self.before(f"{layer}/feed_forward_residual", x))
        if self.config.activation == "relu":
            inner = np.maximum(inner, 0)
        else:  # GELU as Hendrycks & Gimpel 2016 define it: x times the normal distribution's CDF
            inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        outer = self.dense(f"{layer}/feed_forward/outer", inner)
        return self.after(f"{layer}/feed_forward_residual", x, outer)

    def before(self, name: str, x: Array) -> Array:
        return self.norm(f"{name}/norm", x) if self.config.norm == "pre" else x

    def after(self, name: str, x: Array, output: Array) -> Array:
        return self.norm(f"{name}/norm", x + output) if self.config.norm == "post" else x + output

    def norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        return np.asarray(scaled * self.weights[f"{name}/gamma"] + self.weights[f"{name}/beta"])

    def dense(self, name: str, x: Array) -> Array:
        return np.asarray(x @ self.weights[f"{name}/kernel"] + self.weights[f"{name}/bias"])
