"""Search and teacher forcing as compiled, pure functions of weights and ids: one per shape, shared by all models."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import tensorflow as tf

from core.config import ModelConfig
from core.decoding.model_search import search_translations
from core.decoding.search import SearchResult
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from core.model.transformer import AttentionWeights
from core.model.weight_shapes import weight_shapes
from core.model.xla_programs import may_compile
from core.tokens.vocabulary import Vocabulary

_compiling = threading.Lock()


def target_limit(source_length: int, config: ModelConfig) -> int:
    """Most tokens a translation may have, end included: the padded source's length + 50 (section 6.1)."""
    return min(config.max_target_length, source_length + 50)


def compiled_search(
    config: ModelConfig, batch_size: int, source_length: int, beam_size: int
) -> Callable[[Tensor, Tensor, Tensor], SearchResult]:
    """(packed weights, source ids (B, S), length penalty) -> hypotheses. Compiled at its first call, then kept."""
    with _compiling:  # two callers share one function; the compiling itself happens outside
        return _compiled_search(_decoding_config(config), batch_size, source_length, beam_size)


def compiled_forward(
    config: ModelConfig, source_length: int, target_length: int
) -> Callable[[Tensor, Tensor, Tensor], tuple[Tensor, AttentionWeights]]:
    """(packed weights, source ids (1, S), decoder-input ids (1, T)) -> log P (1, T, V) and all attention."""
    with _compiling:
        return _compiled_forward(_decoding_config(config), source_length, target_length)


@lru_cache(maxsize=32)
def _compiled_search(
    config: ModelConfig, batch_size: int, source_length: int, beam_size: int
) -> Callable[[Tensor, Tensor, Tensor], SearchResult]:
    model = shared_model(config)
    special = Vocabulary.from_tokens((), start_and_end=True)
    max_length = target_limit(source_length, config)

    def search(weights: Sequence[Tensor], source_ids: Tensor, alpha: Tensor) -> SearchResult:
        with bound(model, weights):
            return search_translations(
                model, source_ids, beam_size, max_length, (special.start_id, special.end_id), alpha
            )

    signature = (
        _weight_specs(config),
        tf.TensorSpec((batch_size, source_length), tf.int32),
        tf.TensorSpec((), tf.float32),
    )
    program = tf.function(search, input_signature=signature, autograph=False, jit_compile=may_compile())
    return _with_packed_weights(program, config, signature)


@lru_cache(maxsize=32)
def _compiled_forward(
    config: ModelConfig, source_length: int, target_length: int
) -> Callable[[Tensor, Tensor, Tensor], tuple[Tensor, AttentionWeights]]:
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
    program = tf.function(forward, input_signature=signature, autograph=False)
    return _with_packed_weights(program, config, signature)


def pack(weights: Sequence[Tensor]) -> Tensor:
    """All weights as one argument, without a copy.

    TensorFlow takes about 17 µs to check each argument of a call. For a hundred weights that is 2 ms, half the
    time that translating a sentence takes.

    Args:
        weights: in the order of `weight_shapes`.
    """
    return tf.raw_ops.OptionalFromValue(components=weights)


def unpack(packed: Tensor, config: ModelConfig) -> list[Tensor]:
    """The reverse of `pack`."""
    shapes = list(weight_shapes(config).values())
    return tf.raw_ops.OptionalGetValue(
        optional=packed, output_types=[tf.float32] * len(shapes), output_shapes=shapes
    )


def _with_packed_weights(
    program: Callable[..., Any], config: ModelConfig, signature: Sequence[Any]
) -> Callable[..., Any]:
    """The same function of packed weights."""

    def run(packed: Tensor, *others: Tensor) -> Any:
        return program(unpack(packed, config), *others)

    return tf.function(run, input_signature=(tf.TensorSpec((), tf.variant), *signature[1:]), autograph=False)


def _decoding_config(config: ModelConfig) -> ModelConfig:
    """Models that differ only in dropout decode alike and share their compiled functions."""
    return config.replace(dropout_rate=0.0)


def _weight_specs(config: ModelConfig) -> list[tf.TensorSpec]:
    return [tf.TensorSpec(shape, tf.float32) for shape in weight_shapes(config).values()]
