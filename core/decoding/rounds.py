"""The loop of a search over many sentences: those that are decided leave the batch while others go on.

The sentences of a batch end at different steps, and a batch that is computed until its last sentence has ended
computes a third of its rows for nothing. So a search goes in rounds of some steps. Between two rounds the decided
sentences leave, and the others get room for the tokens to come, so that the cache is never much larger than what
it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import tensorflow as tf

from core.model.tensor import Tensor

STEPS = 8  # of a round, at most
LEAVING = 8  # a round ends when one in so many sentences is decided

State = Any  # nested tensors: whatever the model must know of the tokens so far
KeepFunction = Callable[[State, Tensor, Tensor], State]
"""(state, sentences (b,), length ()) -> the state of these alone, with room for `length` positions."""


class SearchResult(NamedTuple):
    """The N hypotheses of each sentence, best first."""

    ids: Tensor  # (B, N, T), after start; pad after the end id
    log_probability: Tensor  # (B, N), nats, end included
    score: Tensor  # (B, N), log_probability / length penalty
    finished: Tensor  # (B, N), False where the length limit cut the sentence off


class SearchProgress(Protocol):
    """A search between two steps: a named tuple of `position`, then tensors of B sentences, `state` last."""

    @property
    def position(self) -> Tensor:
        """Of the next step, ()."""

    @property
    def decided(self) -> Tensor:
        """(B,), whether the search for the sentence is over, though it may go on for others."""


Searched = TypeVar("Searched", bound=SearchProgress)


def longest(max_length: Tensor | int) -> Tensor | int:
    """Most tokens of any sentence, (): `max_length` may be that of each, (B,)."""
    return max_length if isinstance(max_length, int) else tf.reduce_max(max_length)


def first_room(max_length: Tensor) -> Tensor:
    """Positions that the state must have room for before the first round."""
    return tf.reduce_min(tf.minimum(STEPS, max_length))


def can_improve(search: SearchProgress, max_length: Tensor | int) -> Tensor:
    """Whether a step may change the translation of any sentence, which has at most `max_length` tokens, ()."""
    return (search.position < max_length) & ~tf.reduce_all(search.decided)


def until_decided(
    extend: Callable[[Searched], Searched],
    start: Searched,
    max_length: Tensor | int,
    result: Callable[[Searched], SearchResult],
    keep: KeepFunction | None,
) -> SearchResult:
    """Search until every sentence is decided or has `max_length` tokens.

    Args:
        extend: one step.
        start: before the first step; its state has `first_room` where there is `keep`.
        max_length: most tokens, of all sentences, (), or, where there is `keep`, of each, (B,)
        result: the hypotheses of a search.
        keep: lets decided sentences leave the batch, whose size the graph must not know; None computes all of them
            until the last is decided.
    """
    if keep is None:
        (end,) = tf.while_loop(
            lambda search: can_improve(search, max_length), lambda search: (extend(search),), (start,)
        )
        return result(end)

    def go_on(sentences: Tensor, search: Searched, found: SearchResult) -> tuple[Any, ...]:
        undecided = tf.where(~search.decided)[:, 0]
        sentences = tf.gather(sentences, undecided)
        limits = tf.gather(all_limits, sentences)
        room = tf.minimum(search.position + STEPS, tf.reduce_min(limits))
        search = _one_round(extend, _kept(search, undecided, room, keep), room)
        both = zip(found, result(search), strict=True)
        found = SearchResult(
            *(tf.tensor_scatter_nd_update(old, sentences[:, None], new) for old, new in both)
        )
        # After `found`: those that their limits cut off have not ended.
        return sentences, _cut_off(search, limits), found

    everybody = tf.range(tf.shape(start.decided)[0])
    all_limits = tf.broadcast_to(max_length, tf.shape(everybody))
    _, _, found = tf.while_loop(
        lambda _, search, __: ~tf.reduce_all(search.decided), go_on, (everybody, start, result(start))
    )
    return found


def _one_round(extend: Callable[[Searched], Searched], search: Searched, room: Tensor) -> Searched:
    """Steps until the room is full or enough sentences are decided."""
    enough = tf.maximum(tf.size(search.decided) // LEAVING, 1)

    def goes_on(search: Searched) -> Tensor:
        return (search.position < room) & (tf.math.count_nonzero(search.decided, dtype=tf.int32) < enough)

    (search,) = tf.while_loop(goes_on, lambda search: (extend(search),), (search,))
    return search


def _cut_off(search: Searched, limits: Tensor) -> Searched:
    """The search with the sentences decided that have as many tokens as their limits (b,) allow."""
    return cast(Searched, cast(Any, search)._replace(decided=search.decided | (search.position >= limits)))


def _kept(search: Searched, sentences: Tensor, room: Tensor, keep: KeepFunction) -> Searched:
    """The search for these sentences (b,) alone."""
    position, *values, state = cast(tuple[Any, ...], search)
    kind = cast(Any, type(search))
    return kind(position, *(tf.gather(value, sentences) for value in values), keep(state, sentences, room))
