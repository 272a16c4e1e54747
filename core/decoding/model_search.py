"""The searches with the Transformer as their step function."""

from __future__ import annotations

from keras import ops

from core.decoding.cache import BeamCache
from core.decoding.search import SearchResult, StepFunction, beam_search, greedy_search
from core.model.interventions import UNCHANGED, Interventions
from core.model.tensor import Tensor
from core.model.transformer import Source, Transformer


def search_translations(
    model: Transformer,
    source_ids: Tensor,
    beam_size: int,
    max_length: Tensor | int,
    special: tuple[int, int],
    alpha: Tensor | float,
) -> SearchResult:
    """Translate a batch of sentences; each is encoded once for all its beams.

    Args:
        model: whose weights are bound.
        source_ids: (B, S)
        beam_size: 1 is greedy
        max_length: T, most tokens, end included
        special: the ids of start and end
        alpha: of the length penalty; not used by greedy
    """
    batch_size = ops.shape(source_ids)[0]
    return search_from(model, model.encode(source_ids), batch_size, beam_size, max_length, special, alpha)


def search_from(
    model: Transformer,
    source: Source,
    batch_size: Tensor | int,
    beam_size: int,
    max_length: Tensor | int,
    special: tuple[int, int],
    alpha: Tensor | float,
) -> SearchResult:
    """As `search_translations`, for B sentences that were encoded before, with any mask."""
    step = step_function(model, source)
    cache = BeamCache.empty(model.config, batch_size, beam_size, max_length)
    if beam_size == 1:
        return greedy_search(step, cache, batch_size, max_length, *special)
    return beam_search(step, BeamCache.follow, cache, batch_size, beam_size, max_length, *special, alpha)


def step_function(
    model: Transformer, source: Source, interventions: Interventions = UNCHANGED
) -> StepFunction:
    """The model's decoder as a search calls it, with a `BeamCache` as the state.

    Args:
        model: whose weights are bound.
        source: from `model.encode`.
        interventions: the gates of the decoder's heads.
    """

    def step(ids: Tensor, position: Tensor, cache: BeamCache) -> tuple[Tensor, BeamCache]:
        seen = cache.seen(position)
        logits, layers, _ = model.decode_step(ids, position, source, cache.layers, seen, interventions)
        return logits, cache._replace(layers=layers)

    return step
