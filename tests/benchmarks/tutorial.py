"""The model of TensorFlow's tutorial "Neural machine translation with a Transformer and Keras", as it is written.

What the benchmarks compare with: `MultiHeadAttention(num_heads, key_dim=d_model)`, and masks left to Keras.
"""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf
from keras import layers

from core.config import ModelConfig
from core.theory.positional_encoding import sinusoidal_encoding


class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size: int, config: ModelConfig) -> None:
        super().__init__()
        self.scale = config.d_model**0.5
        self.embedding = layers.Embedding(vocab_size, config.d_model, mask_zero=True)
        self.encoding = tf.constant(sinusoidal_encoding(2048, config.d_model))

    def call(self, ids: Any) -> Any:
        return self.embedding(ids) * self.scale + self.encoding[None, : tf.shape(ids)[1]]

    def compute_mask(self, *arguments: Any, **options: Any) -> Any:
        return self.embedding.compute_mask(*arguments, **options)


class Attention(layers.Layer):
    """Attention, residual connection, norm."""

    def __init__(self, config: ModelConfig, key_dim: int) -> None:
        super().__init__()
        self.attention = layers.MultiHeadAttention(config.num_heads, key_dim, dropout=config.dropout_rate)
        self.norm = layers.LayerNormalization()

    def call(self, x: Any, memory: Any, causal: bool = False, training: bool = False) -> Any:
        attended = self.attention(x, memory, memory, use_causal_mask=causal, training=training)
        return self.norm(x + attended)


class FeedForward(layers.Layer):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.inner = layers.Dense(config.d_ff, activation="relu")
        self.outer = layers.Dense(config.d_model)
        self.dropout = layers.Dropout(config.dropout_rate)
        self.norm = layers.LayerNormalization()

    def call(self, x: Any, training: bool = False) -> Any:
        return self.norm(x + self.dropout(self.outer(self.inner(x)), training=training))


class Tutorial(keras.Model):
    """Encoder and decoder of stock layers.

    Args:
        config: the sizes.
        key_dim: the width of each head; None: d_model, as in the tutorial.
    """

    def __init__(self, config: ModelConfig, key_dim: int | None = None) -> None:
        super().__init__()
        depth, width = range(config.num_layers), key_dim or config.d_model
        self.source_embedding = PositionalEmbedding(config.source_vocab_size, config)
        self.target_embedding = PositionalEmbedding(config.target_vocab_size, config)
        self.dropout = layers.Dropout(config.dropout_rate)
        self.encoder = [(Attention(config, width), FeedForward(config)) for _ in depth]
        self.decoder = [
            (Attention(config, width), Attention(config, width), FeedForward(config)) for _ in depth
        ]
        self.output_layer = layers.Dense(config.target_vocab_size)

    def call(self, inputs: tuple[Any, Any], training: bool = False) -> Any:
        """Source ids (B, S) and decoder-input ids (B, T) -> logits (B, T, V)."""
        source_ids, target_ids = inputs
        memory = self.encode(source_ids, training)
        y = self.dropout(self.target_embedding(target_ids), training=training)
        for attention, cross_attention, feed_forward in self.decoder:
            y = attention(y, y, causal=True, training=training)
            y = feed_forward(cross_attention(y, memory, training=training), training=training)
        return self.output_layer(y)

    def encode(self, source_ids: Any, training: bool = False) -> Any:
        """Source ids (B, S) -> what the encoder makes of them (B, S, D)."""
        x = self.dropout(self.source_embedding(source_ids), training=training)
        for attention, feed_forward in self.encoder:
            x = feed_forward(attention(x, x, training=training), training=training)
        return x


def masked_loss(labels: Any, logits: Any) -> Any:
    """Mean cross-entropy of the real tokens."""
    losses = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")(labels, logits)
    real = tf.cast(labels != 0, losses.dtype)
    return tf.reduce_sum(losses * real) / tf.reduce_sum(real)


def training_step(model: Tutorial) -> Any:
    """One step of the tutorial's training, as `fit` would run it: (source, decoder input, labels) -> the loss."""
    optimizer = keras.optimizers.Adam(1e-4, beta_1=0.9, beta_2=0.98, epsilon=1e-9)
    model((tf.ones((1, 2), tf.int32), tf.ones((1, 2), tf.int32)))
    optimizer.build(model.trainable_variables)

    @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32)] * 3, autograph=False)
    def step(source: Any, decoder_input: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = masked_loss(labels, model((source, decoder_input), training=True))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return loss

    return step
