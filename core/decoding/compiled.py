"""Search and teacher forcing as compiled, pure functions of weights and ids: one per shape, for everybody."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache

import tensorflow as tf

from core.config import ModelConfig
from core.decoding.cache import empty_cache
from core.decoding.search import SearchResult, beam_search, greedy_search
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from core.model.transformer import AttentionWeights
from core.model.weight_shapes import weight_shapes
from core.tokens.vocabulary import Vocabulary

# TensorFlow never frees a program that XLA compiled, about 15 MB each: a server whose visitors try ever new
# settings would grow without end. Beyond this many, searches run as plain graphs, a few times slower.
MAX_XLA_PROGRAMS = 24

_compiling = threading.Lock()
_xla_programs = itertools.count()


def source_bucket(length: int, config: ModelConfig) -> int:
    """The padded length a source of `length` tokens is computed at: 8, 16, 32, … up to the model's limit."""
    bucket = 8
    while bucket < length:
        bucket *= 2
    return min(bucket, config.max_source_length)


def batch_bucket(size: int) -> int:
    """The padded number of sentences: 1, 4, 16 or 64."""
    return next(bucket for bucket in (1, 4, 16, 64) if size <= bucket)


def target_limit(source_length: int, config: ModelConfig) -> int:
    """Most tokens a translation may have, end included: the padded source's length + 50 (section 6.1)."""
    return min(config.max_target_length, source_length + 50)


def compiled_search(
    config: ModelConfig, batch_size: int, source_length: int, beam_size: int
) -> Callable[[Sequence[Tensor], Tensor, Tensor], SearchResult]:
    """(weights, source ids (B, S), length penalty) -> hypotheses. Compiled at its first call, then kept."""
    with _compiling:  # two callers share one function; the compiling itself happens outside
        return _compiled_search(_decoding_config(config), batch_size, source_length, beam_size)


def compiled_forward(
    config: ModelConfig, source_length: int, target_length: int
) -> Callable[[Sequence[Tensor], Tensor, Tensor], tuple[Tensor, AttentionWeights]]:
    """(weights, source ids (1, S), decoder-input ids (1, T)) -> log P (1, T, V) and all attention."""
    with _compiling:
        return _compiled_forward(_decoding_config(config), source_length, target_length)


@lru_cache(maxsize=32)
def _compiled_search(
    config: ModelConfig, batch_size: int, source_length: int, beam_size: int
) -> Callable[[Sequence[Tensor], Tensor, Tensor], SearchResult]:
    model = shared_model(config)
    special = Vocabulary.from_tokens((), start_and_end=True)
    max_length = target_limit(source_length, config)

    def search(weights: Sequence[Tensor], source_ids: Tensor, alpha: Tensor) -> SearchResult:
        with bound(model, weights):
            if beam_size > 1:
                source_ids = tf.repeat(source_ids, beam_size, axis=0)  # rows are beams
            source = model.encode(source_ids)
            cache = empty_cache(config, batch_size * beam_size, max_length)

            def step(ids: Tensor, position: Tensor, cache: list) -> tuple[Tensor, list]:
                return model.decode_step(ids, position, source, cache)[:2]

            limits = {
                "max_length": max_length,
                "start_id": special.start_id,
                "end_id": special.end_id,
            }
            if beam_size == 1:
                return greedy_search(step, cache, batch_size, **limits)
            return beam_search(step, cache, batch_size, beam_size, **limits, alpha=alpha)

    signature = (
        _weight_specs(config),
        tf.TensorSpec((batch_size, source_length), tf.int32),
        tf.TensorSpec((), tf.float32),
    )
    jit_compile = next(_xla_programs) < MAX_XLA_PROGRAMS
    return tf.function(search, input_signature=signature, autograph=False, jit_compile=jit_compile)


@lru_cache(maxsize=32)
def _compiled_forward(
    config: ModelConfig, source_length: int, target_length: int
) -> Callable[[Sequence[Tensor], Tensor, Tensor], tuple[Tensor, AttentionWeights]]:
    model = shared_model(config)

    def forward(
        weights: Sequence[Tensor], source_ids: Tensor, target_ids: Tensor
    ) -> tuple[Tensor, AttentionWeights]:
        with bound(model, weights):
            logits, attention = model.forward(source_ids, target_ids)
        return tf.nn.log_softmax(logits), attention

    signature = (
        _weight_specs(config),
        tf.TensorSpec((1, source_length), tf.int32),
        tf.TensorSpec((1, target_length), tf.int32),
    )
    return tf.function(forward, input_signature=signature, autograph=False)


def _decoding_config(config: ModelConfig) -> ModelConfig:
    """Models that differ only in dropout decode alike, so they share what is compiled."""
    return config.replace(dropout_rate=0.0)


def _weight_specs(config: ModelConfig) -> list[tf.TensorSpec]:
    return [tf.TensorSpec(shape, tf.float32) for shape in weight_shapes(config).values()]
