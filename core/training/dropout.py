"""Dropout (5.4) as a hook of the forward pass."""

import tensorflow as tf

from core.config import ModelConfig
from core.model.forward import EMBEDDINGS, Hook, unchanged
from core.model.keras_ops import Tensor


def dropped_names(config: ModelConfig) -> list[str]:
    """Return the names of the results that dropout changes, in the order of their random numbers.

    They are the embeddings and the output of each sublayer (5.4), and as in tensor2tensor the feed-forward network's
    inner layer.
    """
    names = list(EMBEDDINGS.values())
    for side, attention in (
        ("encoder", ["self_attention"]),
        ("decoder", ["self_attention", "cross_attention"]),
    ):
        for i in range(config.num_layers):
            sublayers = [*attention, "feed_forward/inner", "feed_forward"]
            names += [f"{side}/layer_{i}/{sublayer}" for sublayer in sublayers]
    return names


def dropout(config: ModelConfig, seed: Tensor) -> Hook:
    """Return the hook that sets random numbers to 0, and scales the others by 1 / (1 - rate).

    Args:
        config: has the rate.
        seed: (2,) int64, for all results of one pass.
    """
    if not config.dropout_rate:
        return unchanged
    numbers = {name: number for number, name in enumerate(dropped_names(config))}

    def drop(name: str, x: Tensor) -> Tensor:
        return dropped(x, config.dropout_rate, tf.add(seed, (0, numbers[name]))) if name in numbers else x

    return drop


def dropped(x: Tensor, rate: float, seed: Tensor) -> Tensor:
    """Set random elements of x to 0 with 16 random bits for each instead of 32, which saves 5 % of a training step."""
    size = tf.size(x)
    draws = tf.random.stateless_uniform(
        (size // 2 + 1,), tf.cast(seed, tf.int32), -(2**31), 2**31 - 1, tf.int32
    )
    draws = tf.reshape(tf.bitcast(draws, tf.int16), (-1,))[:size]  # each from -2**15 to 2**15 - 1
    kept = tf.reshape(draws, tf.shape(x)) >= round(rate * 2**16) - 2**15
    return x * (tf.cast(kept, x.dtype) * (1.0 / (1.0 - rate)))
