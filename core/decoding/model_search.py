"""The searches with the Transformer as their step function."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Self

import tensorflow as tf
from keras import ops

from core.decoding.cache import BeamCache, kept_heads
from core.decoding.rounds import SearchResult, first_room
from core.decoding.search import StepFunction, beam_search, greedy_search
from core.model.attention import KeysValues
from core.model.interventions import UNCHANGED, Interventions
from core.model.tensor import Tensor
from core.model.transformer import Source, Transformer

Bind = Callable[[], AbstractContextManager[None]]
"""Binds the model's weights where it is entered, as `bound_to_packed` does."""


def search_translations(
    model: Transformer,
    source_ids: Tensor,
    *,
    beam_size: int,
    max_length: Tensor | int,
    special: tuple[int, int],
    alpha: Tensor | float,
    bind: Bind = nullcontext,
    transposed: Tensor | None = None,
) -> SearchResult:
    """Translate a batch of sentences; each is encoded once for all its beams.

    Args:
        model: whose weights are bound.
        source_ids: (B, S)
        beam_size: 1 is greedy
        max_length: T, most tokens, end included, of all sentences or of each, (B,)
        special: the ids of start and end
        alpha: of the length penalty; not used by greedy
        bind: as for `step_function`
        transposed: what `model.transposed_embedding` returned, where the graph is given it
    """
    return search_from(
        model,
        model.encode(source_ids),
        ops.shape(source_ids)[0],
        beam_size=beam_size,
        max_length=max_length,
        special=special,
        alpha=alpha,
        bind=bind,
        transposed=transposed,
    )


def search_from(
    model: Transformer,
    source: Source,
    batch_size: Tensor | int,
    *,
    beam_size: int,
    max_length: Tensor | int,
    special: tuple[int, int],
    alpha: Tensor | float,
    bind: Bind = nullcontext,
    transposed: Tensor | None = None,
) -> SearchResult:
    """As `search_translations`, for B sentences that were encoded before, with any mask.

    Where `max_length` is a known number, as for XLA, all are computed until the last has ended; else those that have
    ended leave, and the graph must not know how many they are.
    """
    if isinstance(max_length, int):
        step, keep = step_function(model, source, bind=bind, transposed=transposed), None
        state: Any = BeamCache.empty(model.config, batch_size, beam_size, max_length)
        follow: Any = BeamCache.follow
    else:
        step, keep, follow = (
            _step_of_sentences(model, bind, transposed),
            SentenceStates.kept,
            SentenceStates.follow,
        )
        state = SentenceStates(
            source, BeamCache.empty(model.config, batch_size, beam_size, first_room(max_length))
        )
    if beam_size == 1:
        return greedy_search(step, state, batch_size, max_length, *special, keep)
    return beam_search(step, follow, state, batch_size, beam_size, max_length, *special, alpha, keep)


class SentenceStates(NamedTuple):
    """What the decoder reads of B sentences, some of which may leave the batch."""

    source: Source
    cache: BeamCache

    def follow(self, parent: Tensor, position: Tensor) -> Self:
        """As `BeamCache.follow`."""
        return self._replace(cache=self.cache.follow(parent, position))

    def kept(self, sentences: Tensor, length: Tensor) -> Self:
        """As `BeamCache.kept`."""
        batch_size = tf.shape(self.source.mask)[0]
        keys_values = [
            KeysValues(*(kept_heads(rows, batch_size, sentences) for rows in layer))
            for layer in self.source.keys_values
        ]
        source = Source(keys_values, tf.gather(self.source.mask, sentences))
        return type(self)(source, self.cache.kept(sentences, length))


def _step_of_sentences(model: Transformer, bind: Bind, transposed: Tensor | None) -> StepFunction:
    if transposed is None:
        transposed = model.transposed_embedding()

    def step(ids: Tensor, position: Tensor, state: SentenceStates) -> tuple[Tensor, SentenceStates]:
        by_model = step_function(model, state.source, bind=bind, transposed=transposed)
        logits, cache = by_model(ids, position, state.cache)
        return logits, state._replace(cache=cache)

    return step


def step_function(
    model: Transformer,
    source: Source,
    *,
    interventions: Interventions = UNCHANGED,
    bind: Bind = nullcontext,
    transposed: Tensor | None = None,
) -> StepFunction:
    """The model's decoder as a search calls it, with a `BeamCache` as the state.

    Args:
        model: whose weights are bound.
        source: from `model.encode`.
        interventions: the gates of the decoder's heads.
        bind: binds the weights again in each step, for the speed of `bound_to_packed`; without it steps use those that
            are bound already, as XLA does.
        transposed: what `model.transposed_embedding` returned; without it each step's product transposes.
    """

    def step(ids: Tensor, position: Tensor, cache: BeamCache) -> tuple[Tensor, BeamCache]:
        seen = cache.seen(position)
        with bind():
            logits, layers, _ = model.decode_step(
                ids, position, source, cache.at(position), seen, interventions, transposed
            )
        return logits, cache._replace(layers=layers)

    return step
