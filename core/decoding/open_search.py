"""Searches that people look into: sampled, from a forced beginning, or with a record of every step.

They run as plain graphs with all settings and lengths as arguments: one a model's shape (and a number of beams),
so that nothing is compiled for a temperature or a beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from core.config import DecodingConfig, ModelConfig
from core.decoding.batches import MAX_BATCH, target_limit
from core.decoding.cache import BeamCache
from core.decoding.model_search import step_function
from core.decoding.packed_weights import PACKED, bound_to_packed
from core.decoding.rounds import SearchResult, can_improve
from core.decoding.sampling import Sampling, draw
from core.decoding.search import (
    Beams,
    StepFunction,
    best_hypotheses,
    extended,
    first_beams,
    sample_search,
)
from core.model.programs.kept_graphs import keeps_graphs
from core.model.stateless import shared_model
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

_MAX_KEPT = 4  # configurations whose graphs are kept
_SPECIAL = Vocabulary.from_tokens((), start_and_end=True)
_START_END = (_SPECIAL.start_id, _SPECIAL.end_id)


def _signature(rows: int | None) -> tuple[tf.TensorSpec, ...]:
    """Packed weights, source ids, forced ids and the most tokens."""
    ids = tf.TensorSpec((rows, None), tf.int32)
    return (PACKED, ids, ids, tf.TensorSpec((), tf.int32))


class RecordedChildren(NamedTuple):
    """What each of N steps of one beam search chose from, the likeliest first; C = 2M."""

    token: Tensor  # (N, C)
    parent: Tensor  # (N, C), the living beam that it continues
    log_probability: Tensor  # (N, C), of the whole beginning


def compiled_samples(config: ModelConfig) -> Callable[..., SearchResult]:
    """(packed weights, source ids (B, S), forced (B, F), T, *`Sampling`) -> one hypothesis a row."""
    return _compiled_samples(config.replace(dropout_rate=0.0))


def compiled_record(
    config: ModelConfig, beam_size: int
) -> Callable[..., tuple[SearchResult, RecordedChildren]]:
    """(packed weights, source ids (1, S), forced (1, F), T, length penalty) -> the N best, and how they came about."""
    return _compiled_record(config.replace(dropout_rate=0.0), beam_size)


def samples(
    config: ModelConfig,
    packed: Tensor,
    source_ids: NDArray[np.int32],
    decoding: DecodingConfig,
    forced: Sequence[int] = (),
) -> SearchResult:
    """Hypotheses drawn as `decoding` says, in the order of their numbers; without samples, the greedy one.

    Args:
        config: of the model.
        packed: its weights.
        source_ids: (B, S)
        decoding: samples, temperature, top-k, top-p, seed.
        forced: tokens that all of them begin with.
    """
    limit = target_limit(source_ids.shape[1], config)
    number, top_k = (decoding.samples, decoding.top_k) if decoding.samples else (1, 1)
    search = compiled_samples(config)
    at_once = max(1, MAX_BATCH // number)  # sentences
    parts = []
    for first in range(0, len(source_ids), at_once):
        source = np.repeat(source_ids[first : first + at_once], number, axis=0)
        numbers = np.tile(np.arange(number, dtype=np.int32), len(source) // number)
        beginning = np.tile(np.array([forced], np.int32).reshape(1, -1), (len(source), 1))
        found = search(
            packed,
            source,
            beginning,
            limit,
            numbers,
            decoding.temperature,
            top_k,
            decoding.top_p,
            decoding.seed,
        )
        parts.append([part.numpy() for part in found])
    joined = (np.concatenate(same) for same in zip(*parts, strict=True))
    # One hypothesis each of B * N rows -> N hypotheses of B sentences
    return SearchResult(*(part.reshape(-1, number, *part.shape[2:]) for part in joined))


@keeps_graphs(most=_MAX_KEPT)
def _compiled_samples(config: ModelConfig) -> Callable[..., SearchResult]:
    model = shared_model(config)  # outside the graph, since it makes variables

    def search(
        packed: Tensor, source_ids: Tensor, forced: Tensor, max_length: Tensor, *settings: Tensor
    ) -> SearchResult:
        sampling = Sampling(*settings)
        bind = partial(bound_to_packed, model, packed)
        with bind():
            cache = BeamCache.empty(config, tf.shape(source_ids)[0], 1, max_length)
            return sample_search(
                step_function(model, model.encode(source_ids), bind=bind),
                lambda logits, position: draw(logits, position, sampling, _START_END[0]),
                cache,
                forced,
                max_length,
                *_START_END,
            )

    scalars = (tf.float32, tf.int32, tf.float32, tf.int32)
    signature = (
        *_signature(None),
        tf.TensorSpec((None,), tf.int32),
        *(tf.TensorSpec((), kind) for kind in scalars),
    )
    return tf.function(search, input_signature=signature, autograph=False)


@keeps_graphs(most=2 * _MAX_KEPT)  # of some numbers of beams each
def _compiled_record(config: ModelConfig, beam_size: int) -> Callable[..., Any]:
    model = shared_model(config)

    def search(
        packed: Tensor, source_ids: Tensor, forced: Tensor, max_length: Tensor, alpha: Tensor
    ) -> tuple[SearchResult, RecordedChildren]:
        bind = partial(bound_to_packed, model, packed)
        with bind():
            step = step_function(model, model.encode(source_ids), bind=bind)
            cache = BeamCache.empty(config, 1, beam_size, max_length)
            start = first_beams(cache, 1, beam_size, max_length, _START_END[0])
            return recorded_beam_search(step, start, forced, max_length, alpha)

    signature = (*_signature(1), tf.TensorSpec((), tf.float32))
    return tf.function(search, input_signature=signature, autograph=False)


def recorded_beam_search(
    step: StepFunction,
    start: Beams,
    forced: Tensor,
    max_length: Tensor | int,
    alpha: Tensor | float,
    follow: Callable[..., Any] = BeamCache.follow,
) -> tuple[SearchResult, RecordedChildren]:
    """As `beam_search` of one sentence, from a forced beginning and with what each step chose from.

    Args:
        step: of the model.
        start: the beams before the first step.
        forced: (1, F), tokens of the beginning, no pad among them
        max_length: T, most tokens, end included
        alpha: of `length_penalty`
        follow: keeps the state in step with the beams that survive.
    """
    beams = _after_forced(step, start, forced)
    beam_size = start.last.shape[1]
    kinds = (tf.int32, tf.int32, tf.float32)
    record = tuple(
        tf.TensorArray(kind, size=max_length, element_shape=(2 * beam_size,), clear_after_read=False)
        for kind in kinds
    )

    def extend(beams: Beams, record: tuple[Any, ...]) -> tuple[Beams, tuple[Any, ...]]:
        longer, children = extended(beams, step, follow, _START_END, alpha)
        values = (children.token[0], children.parent[0], children.logp[0])
        written = (part.write(beams.position, value) for part, value in zip(record, values, strict=True))
        return longer, tuple(written)

    first = beams.position
    beams, record = tf.while_loop(lambda beams, _: can_improve(beams, max_length), extend, (beams, record))
    children = RecordedChildren(*(part.stack()[first : beams.position] for part in record))
    return best_hypotheses(beams, beam_size, alpha), children


def _after_forced(step: StepFunction, beams: Beams, forced: Tensor) -> Beams:
    """The beams after the forced tokens: one living beam, which has written them."""
    slots = tf.range(tf.shape(beams.alive_ids)[2])

    def write(beams: Beams) -> tuple[Beams]:
        logits, state = step(beams.last, beams.position, beams.state)
        token = tf.fill(beams.last.shape, forced[0, beams.position])
        found = tf.gather(tf.nn.log_softmax(logits), token, batch_dims=2)
        ids = tf.where(slots == beams.position, token[..., None], beams.alive_ids)
        written = beams._replace(
            position=beams.position + 1,
            alive_ids=ids,
            alive_logp=beams.alive_logp + found,
            last=token,
            state=state,
        )
        return (written,)

    (written,) = tf.while_loop(lambda beams: beams.position < tf.shape(forced)[1], write, (beams,))
    return written
