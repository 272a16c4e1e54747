"""The most likely next tokens of a vocabulary, for greedy and beam search."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from core.decoding.text.sentence_translator import IMPOSSIBLE
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

CHUNK = 32  # tokens that are compared together; pad, start and end are in the first chunk


class Continuations(NamedTuple):
    """The N likeliest continuations of each sentence's beams, the likeliest first."""

    log_probability: Tensor  # (B, N), of the whole beginning
    parent: Tensor  # (B, N), the beam that is continued
    token: Tensor  # (B, N)


def likeliest(logits: Tensor, alive_logp: Tensor, number: int, start_id: int) -> Continuations:
    """The best next tokens of M beams together.

    Sorting the whole vocabulary for a handful of tokens would cost more than the model. It is split into
    chunks: only the N chunks with the highest maxima can hold the N best tokens.

    Args:
        logits: (B, M, V)
        alive_logp: log probability of each beam so far, (B, M)
        number: N
        start_id: the start token
    """
    beam_size, vocab_size = logits.shape[1:]
    chunks = -(-vocab_size // CHUNK)
    filling = ((0, 0), (0, 0), (0, chunks * CHUNK - vocab_size))
    logits = tf.pad(tf.cast(logits, tf.float32), filling, constant_values=IMPOSSIBLE)
    chunked = tf.reshape(logits, (-1, beam_size, chunks, CHUNK))
    peaks = tf.reduce_max(chunked, axis=-1)
    offset = alive_logp - _log_sum_exp(logits, tf.reduce_max(peaks, axis=-1))
    peaks = _peaks_allowed(peaks, chunked, start_id) + offset[..., None]
    chosen = tf.math.top_k(
        tf.reshape(peaks, (-1, beam_size * chunks)), min(number, beam_size * chunks)
    ).indices

    cells = chosen[..., None] * CHUNK + tf.range(CHUNK)  # (B, N, CHUNK), counted through all M beams
    parent, token = cells // (chunks * CHUNK), tf.minimum(cells % (chunks * CHUNK), vocab_size - 1)
    logp = tf.gather(tf.reshape(logits, (-1, beam_size * chunks * CHUNK)), cells, batch_dims=1)
    logp = _allowed(logp, token, start_id) + tf.gather(offset, parent, batch_dims=1)
    logp, parent, token = (tf.reshape(part, (-1, chosen.shape[1] * CHUNK)) for part in (logp, parent, token))
    logp, best = tf.math.top_k(logp, number)
    return Continuations(logp, tf.gather(parent, best, batch_dims=1), tf.gather(token, best, batch_dims=1))


def _log_sum_exp(logits: Tensor, highest: Tensor) -> Tensor:
    """Of all logits (B, M, V), whose maxima (B, M) are known.

    Pad and start count too: a sentence's log probability is then the same as in a teacher-forced pass.
    """
    if logits.shape[0] is None:
        # Where XLA does not compile the formula, TensorFlow's softmax is faster: its largest value is
        # exp(highest) / sum(exp(logits)).
        return highest - tf.math.log(tf.reduce_max(tf.nn.softmax(logits), axis=-1))
    return highest + tf.math.log(tf.reduce_sum(tf.exp(logits - highest[..., None]), axis=-1))


def _peaks_allowed(peaks: Tensor, chunked: Tensor, start_id: int) -> Tensor:
    """The peaks (B, M, chunks) without pad and start, which are in the first of the chunks (B, M, chunks, CHUNK)."""
    first = tf.reduce_max(_allowed(chunked[:, :, 0], tf.range(CHUNK), start_id), axis=-1, keepdims=True)
    return tf.concat([first, peaks[..., 1:]], axis=-1)


def _allowed(values: Tensor, token: Tensor, start_id: int) -> Tensor:
    """The values with those of pad and start made impossible."""
    return tf.where((token == Vocabulary.pad_id) | (token == start_id), IMPOSSIBLE, values)
