"""Greedy and beam search over any step function, inside a compiled graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from core.decoding.continuations import IMPOSSIBLE, likeliest
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

State = Any  # nested tensors: whatever the model must know of the tokens so far
StepFunction = Callable[[Tensor, Tensor, State], tuple[Tensor, State]]
"""(ids (B, M), position (), state) -> logits for the next token (B, M, V), the state with this position."""
FollowFunction = Callable[[State, Tensor, Tensor], State]
"""(state, parent (B, M), position ()) -> the state after beam m has become a child of beam parent[m]."""


class SearchResult(NamedTuple):
    """The N hypotheses of each sentence, best first."""

    ids: Tensor  # (B, N, T), after start; pad after the end id
    log_probability: Tensor  # (B, N), nats, end included
    score: Tensor  # (B, N), log_probability / length penalty
    finished: Tensor  # (B, N), False where the length limit cut the sentence off


def length_penalty(length: Tensor | int, alpha: Tensor | float) -> Tensor:
    """((5 + |Y|) / (5 + 1)) ^ alpha, Wu et al. 2016, section 7, equation (14).

    Args:
        length: |Y|, tokens with end
        alpha: 0 penalizes nothing; larger values prefer longer sentences
    """
    return ((5.0 + tf.cast(length, tf.float32)) / 6.0) ** alpha


def greedy_search(
    step: StepFunction, state: State, batch_size: int, max_length: int, start_id: int, end_id: int
) -> SearchResult:
    """Take the most likely token at each step until every sentence has ended.

    Args:
        step: of the model, called with M = 1.
        state: before the first step.
        batch_size: B
        max_length: T, most tokens, end included
        start_id: what the first step reads
        end_id: ends a sentence
    """
    slots = tf.range(max_length)[None]

    def unfinished(
        position: Tensor, ids: Tensor, last: Tensor, logp: Tensor, done: Tensor, _: State
    ) -> Tensor:
        return tf.logical_and(position < max_length, tf.logical_not(tf.reduce_all(done)))

    def extend(
        position: Tensor, ids: Tensor, last: Tensor, logp: Tensor, done: Tensor, state: State
    ) -> tuple[Any, ...]:
        logits, state = step(last, position, state)
        found = likeliest(logits, logp, 1, start_id)
        chosen = tf.where(done, Vocabulary.pad_id, found.token)
        logp = tf.where(done, logp, found.log_probability)
        ids = tf.where(slots == position, chosen, ids)
        return position + 1, ids, chosen, logp, tf.logical_or(done, chosen == end_id), state

    start = (
        tf.constant(0),
        tf.fill((batch_size, max_length), Vocabulary.pad_id),
        tf.fill((batch_size, 1), start_id),
        tf.zeros((batch_size, 1)),
        tf.zeros((batch_size, 1), tf.bool),
        state,
    )
    _, ids, _, logp, done, _ = tf.while_loop(unfinished, extend, start)
    return SearchResult(ids[:, None], logp, logp, done)


class _Beams(NamedTuple):
    """Beam search between two steps: M beams for each of B sentences."""

    position: Tensor  # ()
    alive_ids: Tensor  # (B, M, T)
    alive_logp: Tensor  # (B, M)
    ended_ids: Tensor  # (B, M, T)
    ended_logp: Tensor  # (B, M)
    ended_score: Tensor  # (B, M)
    last: Tensor  # (B, M), the last token of each beam
    state: State


def beam_search(
    step: StepFunction,
    follow: FollowFunction,
    state: State,
    batch_size: int,
    beam_size: int,
    max_length: int,
    start_id: int,
    end_id: int,
    alpha: Tensor | float,
) -> SearchResult:
    """Keep the `beam_size` most likely beginnings at each step and the best ended sentences by score.

    A search stops when no living beam can still reach the score of the worst ended sentence: its log
    probability can only fall, and its penalty is at most that of `max_length` tokens.

    Args:
        step: of the model.
        follow: keeps the state in step with the beams that survive.
        state: before the first step.
        batch_size: B
        beam_size: M
        max_length: T, most tokens, end included
        start_id: what the first step reads
        end_id: ends a sentence
        alpha: of `length_penalty`
    """
    slots = tf.range(max_length)[None, None]

    def hopeful(*variables: Any) -> Tensor:
        beams = _Beams(*variables)
        reachable = beams.alive_logp[:, 0] / length_penalty(max_length, alpha)
        undecided = tf.reduce_any(reachable > tf.reduce_min(beams.ended_score, axis=1))
        return tf.logical_and(beams.position < max_length, undecided)

    def extend(*variables: Any) -> _Beams:
        beams = _Beams(*variables)
        logits, state = step(beams.last, beams.position, beams.state)
        # Twice as many as beams: at most half of them end, so enough stay alive.
        logp, parent, token = likeliest(logits, beams.alive_logp, 2 * beam_size, start_id)  # (B, 2M) each
        ids = tf.gather(beams.alive_ids, parent, batch_dims=1)  # (B, 2M, T)
        ids = tf.where(slots == beams.position, token[:, :, None], ids)
        ends = token == end_id

        possible = tf.logical_and(ends, logp > IMPOSSIBLE / 2)
        score = tf.where(possible, logp / length_penalty(beams.position + 1, alpha), IMPOSSIBLE)
        ended = tf.math.top_k(tf.concat([beams.ended_score, score], axis=1), beam_size).indices
        alive = tf.math.top_k(tf.where(ends, IMPOSSIBLE, logp), beam_size).indices

        def keep(before: Tensor, now: Tensor) -> Tensor:
            return tf.gather(tf.concat([before, now], axis=1), ended, batch_dims=1)

        def survive(values: Tensor) -> Tensor:
            return tf.gather(values, alive, batch_dims=1)

        return _Beams(
            position=beams.position + 1,
            alive_ids=survive(ids),
            alive_logp=survive(tf.where(ends, IMPOSSIBLE, logp)),
            ended_ids=keep(beams.ended_ids, ids),
            ended_logp=keep(beams.ended_logp, logp),
            ended_score=keep(beams.ended_score, score),
            last=survive(token),
            state=follow(state, survive(parent), beams.position),
        )

    nothing = tf.fill((batch_size, beam_size), IMPOSSIBLE)
    no_ids = tf.fill((batch_size, beam_size, max_length), Vocabulary.pad_id)
    start = _Beams(
        position=tf.constant(0),
        alive_ids=no_ids,
        alive_logp=tf.concat([tf.zeros((batch_size, 1)), nothing[:, 1:]], axis=1),
        ended_ids=no_ids,
        ended_logp=nothing,
        ended_score=nothing,
        last=tf.fill((batch_size, beam_size), start_id),
        state=state,
    )
    return _best_hypotheses(_Beams(*tf.while_loop(hopeful, extend, start)), beam_size, alpha)


def _best_hypotheses(beams: _Beams, beam_size: int, alpha: Tensor | float) -> SearchResult:
    """Ended sentences first; if there are too few, beams that the length limit cut off."""
    alive_score = beams.alive_logp / length_penalty(beams.position, alpha)
    score = tf.concat([beams.ended_score, alive_score], axis=1)
    finished = tf.concat([beams.ended_score > IMPOSSIBLE / 2, tf.zeros_like(alive_score, tf.bool)], axis=1)
    order = tf.math.top_k(tf.where(finished, score, score + IMPOSSIBLE / 2), beam_size).indices

    def pick(ended: Tensor, alive: Tensor) -> Tensor:
        return tf.gather(tf.concat([ended, alive], axis=1), order, batch_dims=1)

    return SearchResult(
        ids=pick(beams.ended_ids, beams.alive_ids),
        log_probability=pick(beams.ended_logp, beams.alive_logp),
        score=tf.gather(score, order, batch_dims=1),
        finished=tf.gather(finished, order, batch_dims=1),
    )
