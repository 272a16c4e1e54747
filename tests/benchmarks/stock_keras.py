"""The same architecture as a reader of the Keras guides would write it: what the benchmarks compare with."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers, ops

from core.config import ModelConfig
from core.theory.positional_encoding import sinusoidal_encoding


class _Positions(layers.Layer):
    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.table = sinusoidal_encoding(length, width)
        self.width = width

    def call(self, x: Any) -> Any:
        return x * np.sqrt(self.width) + self.table[: x.shape[1]]


class _NotPad(layers.Layer):
    def call(self, ids: Any) -> Any:
        return ops.not_equal(ids, 0)[:, None, :]


def stock_transformer(config: ModelConfig, source_length: int, target_length: int) -> keras.Model:
    """A functional model of stock layers, with explicit padding masks so that it learns the same task."""

    def attend(x: Any, memory: Any, mask: Any, causal: bool) -> Any:
        attention = layers.MultiHeadAttention(config.num_heads, config.head_dim)
        y = attention(x, memory, attention_mask=mask, use_causal_mask=causal)
        return layers.LayerNormalization(epsilon=1e-6)(x + layers.Dropout(config.dropout_rate)(y))

    def feed_forward(x: Any) -> Any:
        y = layers.Dense(config.d_model)(layers.Dense(config.d_ff, activation="relu")(x))
        return layers.LayerNormalization(epsilon=1e-6)(x + layers.Dropout(config.dropout_rate)(y))

    def embed(ids: Any, vocab_size: int, length: int) -> Any:
        x = _Positions(length, config.d_model)(layers.Embedding(vocab_size, config.d_model)(ids))
        return layers.Dropout(config.dropout_rate)(x)

    source = keras.Input((source_length,), dtype="int32")
    target = keras.Input((target_length,), dtype="int32")
    source_mask, target_mask = _NotPad()(source), _NotPad()(target)
    x = embed(source, config.source_vocab_size, config.max_source_length)
    y = embed(target, config.target_vocab_size, config.max_target_length)
    for _ in range(config.num_layers):
        x = feed_forward(attend(x, x, source_mask, causal=False))
    for _ in range(config.num_layers):
        y = attend(y, y, target_mask, causal=True)
        y = feed_forward(attend(y, x, source_mask, causal=False))
    return keras.Model([source, target], layers.Dense(config.target_vocab_size)(y))


def masked_loss(labels: Any, logits: Any) -> Any:
    """Mean cross-entropy over the real tokens, as in the well-known tutorial."""
    losses = keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
    real = ops.cast(ops.not_equal(labels, 0), losses.dtype)
    return ops.sum(losses * real) / ops.sum(real)
