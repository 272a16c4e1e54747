"""Drawing tokens from a model's probabilities: temperature, top-k and top-p, the same for the same seed."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from core.config import MAX_SAMPLES
from core.decoding.continuations import IMPOSSIBLE
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

_MIN_TEMPERATURE = 1e-6  # of a division


class Sampling(NamedTuple):
    """How tokens are drawn; tensors, so that one graph serves all settings."""

    number: Tensor  # (B,), which sample of its sentence each row is, from 0
    temperature: Tensor  # ()
    top_k: Tensor  # (); 0 is all
    top_p: Tensor  # ()
    seed: Tensor  # ()


def draw(logits: Tensor, position: Tensor, sampling: Sampling, start_id: int) -> Tensor:
    """A token for each row, (B,); never pad or start.

    In the order of Hugging Face's `generate`: the logits are divided by the temperature, only the k likeliest
    tokens are kept (Fan et al. 2018), and of those the fewest that have the probability p together (Holtzman et al.
    2020). What is left is renormalised. What is drawn depends on the seed, the sample's number and the position
    alone: a sentence has the same samples whatever it is translated with.

    Args:
        logits: (B, V)
        position: ()
        sampling: the settings.
        start_id: the start token
    """
    tokens = tf.range(tf.shape(logits)[1])
    allowed = tf.where((tokens == Vocabulary.pad_id) | (tokens == start_id), IMPOSSIBLE, logits)
    return tf.cond(
        (sampling.top_k == 1) | (sampling.temperature == 0.0),  # no chance: nothing need be sorted
        lambda: tf.argmax(allowed, axis=1, output_type=tf.int32),
        lambda: _drawn(allowed, position, sampling),
    )


def _drawn(allowed: Tensor, position: Tensor, sampling: Sampling) -> Tensor:
    """As `draw`, of logits that pad and start have been taken from."""
    values, order = tf.math.top_k(allowed, tf.shape(allowed)[1])  # all of them, the likeliest first
    probabilities = kept_probabilities(values, sampling)
    cumulative = tf.cumsum(probabilities, axis=1)
    noise = tf.random.stateless_uniform((MAX_SAMPLES,), tf.stack([sampling.seed, position]))
    point = tf.gather(noise, sampling.number)[:, None] * cumulative[:, -1:]
    last = tf.math.count_nonzero(probabilities, axis=1, dtype=tf.int32) - 1
    rank = tf.minimum(tf.math.count_nonzero(cumulative <= point, axis=1, dtype=tf.int32), last)
    return tf.gather(order, rank, batch_dims=1)


def kept_probabilities(values: Tensor, sampling: Sampling) -> Tensor:
    """What each token is drawn with, up to a constant factor; 0 for those that are not kept.

    Args:
        values: logits (B, V), the highest first.
        sampling: the settings.
    """
    rank = tf.range(tf.shape(values)[1])
    in_top_k = (rank < sampling.top_k) | (sampling.top_k == 0)
    scaled = (values - values[:, :1]) / tf.maximum(sampling.temperature, _MIN_TEMPERATURE)
    probabilities = tf.nn.softmax(tf.where(in_top_k, scaled, IMPOSSIBLE))
    likelier = tf.cumsum(probabilities, axis=1, exclusive=True)
    # A top_p of 1 keeps all: their sum may round to 1 before the last one.
    return tf.where((likelier < sampling.top_p) | (sampling.top_p >= 1.0), probabilities, 0.0)
