"""The most likely next tokens of a vocabulary, for greedy and beam search."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from core.decoding.text.sentence_translator import IMPOSSIBLE
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

CHUNK = 64  # tokens that are compared together; pad, start and end are in the first chunk


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
    offset = alive_logp - _log_sum_exp(logits, peaks)
    peaks = _peaks_allowed(peaks, chunked, start_id) + offset[..., None]
    chosen = tf.math.top_k(
        tf.reshape(peaks, (-1, beam_size * chunks)), min(number, beam_size * chunks)
    ).indices  # counted through all M beams

    parent, first_token = chosen // chunks, (chosen % chunks) * CHUNK  # (B, N)
    # (B, M * chunks, CHUNK) -> (B, N, CHUNK)
    logp = tf.gather(tf.reshape(chunked, (-1, beam_size * chunks, CHUNK)), chosen, batch_dims=1)
    logp = _allowed(logp, first_token[..., None] + tf.range(CHUNK), start_id)
    logp += tf.gather(offset, parent, batch_dims=1)[..., None]
    logp, best = tf.math.top_k(tf.reshape(logp, (-1, chosen.shape[1] * CHUNK)), number)
    parent, first_token = (tf.gather(part, best // CHUNK, batch_dims=1) for part in (parent, first_token))
    return Continuations(logp, parent, tf.minimum(first_token + best % CHUNK, vocab_size - 1))


def _log_sum_exp(logits: Tensor, peaks: Tensor) -> Tensor:
    """Of all logits (B, M, V), whose chunks' maxima (B, M, chunks) are known.

    Pad and start count too: a sentence's log probability is then the same as in a teacher-forced pass.
    """
    if logits.shape[0] is None:
        highest = tf.reduce_max(peaks, axis=-1)
        # Where XLA does not compile the formula, TensorFlow's softmax is faster: its largest value is
        # exp(highest) / sum(exp(logits)), and in the chunk with the highest peak, so only that is read again.
        chunked = tf.reshape(tf.nn.softmax(logits), (-1, *peaks.shape[1:], CHUNK))
        likely = tf.gather(chunked, tf.argmax(peaks, axis=-1, output_type=tf.int32), batch_dims=2)
        return highest - tf.math.log(tf.reduce_max(likely, axis=-1))
    # Of a maximum of maxima XLA makes one more pass over all logits.
    highest = tf.math.top_k(peaks).values[..., 0]
    return highest + tf.math.log(tf.reduce_sum(tf.exp(logits - highest[..., None]), axis=-1))


def _peaks_allowed(peaks: Tensor, chunked: Tensor, start_id: int) -> Tensor:
    """The peaks (B, M, chunks) without pad and start, which are in the first of the chunks (B, M, chunks, CHUNK)."""
    first = tf.reduce_max(_allowed(chunked[:, :, 0], tf.range(CHUNK), start_id), axis=-1, keepdims=True)
    return tf.concat([first, peaks[..., 1:]], axis=-1)


def _allowed(values: Tensor, token: Tensor, start_id: int) -> Tensor:
    """The values with those of pad and start made impossible."""
    return tf.where((token == Vocabulary.pad_id) | (token == start_id), IMPOSSIBLE, values)
