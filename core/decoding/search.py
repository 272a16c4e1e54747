"""Greedy search, sampling and beam search over any step function, inside a compiled graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from core.decoding.continuations import IMPOSSIBLE, likeliest
from core.decoding.rounds import KeepFunction, SearchResult, State, longest, until_decided
from core.model.tensor import Tensor
from core.tokens.vocabulary import Vocabulary

StepFunction = Callable[[Tensor, Tensor, State], tuple[Tensor, State]]
"""(ids (B, M), position (), state) -> logits for the next token (B, M, V), the state with this position."""
FollowFunction = Callable[[State, Tensor, Tensor], State]
"""(state, parent (B, M), position ()) -> the state after beam m has become a child of beam parent[m]."""
DrawFunction = Callable[[Tensor, Tensor], Tensor]
"""(logits (B, V), position ()) -> the next token (B,)."""


def length_penalty(length: Tensor | int, alpha: Tensor | float) -> Tensor:
    """((5 + |Y|) / (5 + 1)) ^ alpha, Wu et al. 2016, section 7, equation (14).

    Args:
        length: |Y|, tokens with end
        alpha: 0 penalizes nothing; larger values prefer longer sentences
    """
    return ((5.0 + tf.cast(length, tf.float32)) / 6.0) ** alpha


def greedy_search(
    step: StepFunction,
    state: State,
    batch_size: Tensor | int,
    max_length: Tensor | int,
    start_id: int,
    end_id: int,
    keep: KeepFunction | None = None,
) -> SearchResult:
    """Take the most likely token at each step until every sentence has ended.

    Args:
        step: of the model, called with M = 1.
        state: before the first step.
        batch_size: B
        max_length: T, most tokens, end included; with `keep` it may be that of each sentence, (B,)
        start_id: what the first step reads
        end_id: ends a sentence
        keep: lets sentences that have ended leave the batch; without it they are computed until the last has ended
    """

    def choose(logits: Tensor, logp: Tensor, _: Tensor) -> tuple[Tensor, Tensor]:
        found = likeliest(logits, logp, 1, start_id)
        return found.token, found.log_probability

    return _written(step, choose, state, batch_size, max_length, start_id, end_id, keep)


def sample_search(
    step: StepFunction,
    draw: DrawFunction,
    state: State,
    forced: Tensor,
    max_length: Tensor | int,
    start_id: int,
    end_id: int,
) -> SearchResult:
    """Draw a token at each step until every sentence has ended.

    Args, beside those of `greedy_search`:
        draw: chooses the tokens.
        forced: (B, F), tokens that are written whatever is drawn; pad where the drawn one is taken
    """
    num_forced = tf.shape(forced)[1]

    def choose(logits: Tensor, logp: Tensor, position: Tensor) -> tuple[Tensor, Tensor]:
        token = draw(logits[:, 0], position)
        given = tf.cond(
            position < num_forced, lambda: forced[:, position], lambda: tf.fill(tf.shape(token), 0)
        )
        token = tf.where(given == Vocabulary.pad_id, token, given)[:, None]
        found = tf.gather(tf.nn.log_softmax(logits[:, 0]), token, batch_dims=1)
        return token, logp + found

    return _written(step, choose, state, tf.shape(forced)[0], max_length, start_id, end_id)


class Beginnings(NamedTuple):
    """One hypothesis of each of B sentences between two steps."""

    position: Tensor  # ()
    ids: Tensor  # (B, T)
    last: Tensor  # (B, 1), the last token
    logp: Tensor  # (B, 1)
    decided: Tensor  # (B,), whether the sentence has ended
    state: State

    def result(self) -> SearchResult:
        """The hypotheses as they are."""
        return SearchResult(self.ids[:, None], self.logp, self.logp, self.decided[:, None])


def _written(
    step: StepFunction,
    choose: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]],
    state: State,
    batch_size: Tensor | int,
    max_length: Tensor | int,
    start_id: int,
    end_id: int,
    keep: KeepFunction | None = None,
) -> SearchResult:
    """One hypothesis a sentence, token by token.

    Args, beside those of `greedy_search`:
        choose: (logits (B, 1, V), log probability so far (B, 1), position) -> the next token and the log probability
            with it, (B, 1) each.
    """
    width = longest(max_length)
    slots = tf.range(width)[None]

    def extend(written: Beginnings) -> Beginnings:
        position, done = written.position, written.decided[:, None]
        logits, state = step(written.last, position, written.state)
        token, logp = choose(logits, written.logp, position)
        chosen = tf.where(done, Vocabulary.pad_id, token)
        return Beginnings(
            position + 1,
            ids=tf.where(slots == position, chosen, written.ids),
            last=chosen,
            logp=tf.where(done, written.logp, logp),
            decided=written.decided | (chosen[:, 0] == end_id),
            state=state,
        )

    start = Beginnings(
        tf.constant(0),
        ids=tf.fill((batch_size, width), Vocabulary.pad_id),
        last=tf.fill((batch_size, 1), start_id),
        logp=tf.zeros((batch_size, 1)),
        decided=tf.zeros((batch_size,), tf.bool),
        state=state,
    )
    return until_decided(extend, start, max_length, Beginnings.result, keep)


class Beams(NamedTuple):
    """Beam search between two steps: M beams for each of B sentences."""

    position: Tensor  # ()
    alive_ids: Tensor  # (B, M, T)
    alive_logp: Tensor  # (B, M)
    ended_ids: Tensor  # (B, M, T)
    ended_logp: Tensor  # (B, M)
    ended_score: Tensor  # (B, M)
    last: Tensor  # (B, M), the last token of each beam
    decided: Tensor  # (B,), whether the search for the sentence is over, though it may go on for others
    state: State


class Children(NamedTuple):
    """Two continuations for each of M beams, the likeliest first."""

    ids: Tensor  # (B, 2M, T)
    logp: Tensor  # (B, 2M)
    parent: Tensor  # (B, 2M), the beam it continues
    token: Tensor  # (B, 2M)
    ends: Tensor  # (B, 2M), whether its token is the end


def beam_search(
    step: StepFunction,
    follow: FollowFunction,
    state: State,
    batch_size: Tensor | int,
    beam_size: int,
    max_length: Tensor | int,
    start_id: int,
    end_id: int,
    alpha: Tensor | float,
    keep: KeepFunction | None = None,
) -> SearchResult:
    """Keep the `beam_size` most likely beginnings at each step and the best ended sentences by score.

    A sentence is decided when no living beam would reach the score of its worst ended one if it ended with the next
    token. With a length penalty a much longer one still might; waiting for those, up to the length limit, took half as
    many steps again and changed none of 400 translations of TED talks.

    Args:
        step: of the model.
        follow: keeps the state in step with the beams that survive.
        state: before the first step.
        batch_size: B
        beam_size: M
        max_length: T, as for `greedy_search`
        start_id: what the first step reads
        end_id: ends a sentence
        alpha: of `length_penalty`
        keep: as for `greedy_search`.
    """

    def extend(beams: Beams) -> Beams:
        return extended(beams, step, follow, (start_id, end_id), alpha)[0]

    def result(beams: Beams) -> SearchResult:
        return best_hypotheses(beams, beam_size, alpha)

    start = first_beams(state, batch_size, beam_size, longest(max_length), start_id)
    return until_decided(extend, start, max_length, result, keep)


def extended(
    beams: Beams, step: StepFunction, follow: FollowFunction, special: tuple[int, int], alpha: Tensor | float
) -> tuple[Beams, Children]:
    """One step of beam search: the beams after it, and the children they were chosen from.

    Args:
        beams: before the step.
        step: of the model.
        follow: keeps the state in step with the beams that survive.
        special: the ids of start and end
        alpha: of `length_penalty`
    """
    logits, state = step(beams.last, beams.position, beams.state)
    children = _children(beams, logits, *special)
    ended = _best_ended(beams, children, alpha)
    living = tf.where(children.ends, IMPOSSIBLE, children.logp)
    alive_logp, alive = tf.math.top_k(living, beams.last.shape[1])
    parent, last, ids = (
        tf.gather(values, alive, batch_dims=1) for values in (children.parent, children.token, children.ids)
    )
    state = follow(state, parent, beams.position)
    position = beams.position + 1
    reachable = alive_logp[:, 0] / length_penalty(position + 1, alpha)
    decided = tf.logical_or(beams.decided, reachable <= tf.reduce_min(ended[-1], axis=1))
    return Beams(position, ids, alive_logp, *ended, last, decided, state), children


def first_beams(
    state: State, batch_size: Tensor | int, beam_size: int, max_length: Tensor | int, start_id: int
) -> Beams:
    """One living beam for each sentence, which has read `start_id`; the others are impossible, and none has ended."""
    nothing = tf.fill((batch_size, beam_size), IMPOSSIBLE)
    no_ids = tf.fill((batch_size, beam_size, max_length), Vocabulary.pad_id)
    return Beams(
        position=tf.constant(0),
        alive_ids=no_ids,
        alive_logp=tf.concat([tf.zeros((batch_size, 1)), nothing[:, 1:]], axis=1),
        ended_ids=no_ids,
        ended_logp=nothing,
        ended_score=nothing,
        last=tf.fill((batch_size, beam_size), start_id),
        decided=tf.zeros((batch_size,), tf.bool),
        state=state,
    )


def _children(beams: Beams, logits: Tensor, start_id: int, end_id: int) -> Children:
    """The likeliest continuations of each sentence's living beams by one token, from logits (B, M, V)."""
    # Twice as many as beams: at most half of them end, so enough stay alive.
    found = likeliest(logits, beams.alive_logp, 2 * beams.last.shape[1], start_id)
    ids = tf.gather(beams.alive_ids, found.parent, batch_dims=1)
    slots = tf.range(tf.shape(ids)[2])[None, None]
    ids = tf.where(slots == beams.position, found.token[:, :, None], ids)
    return Children(ids, *found, ends=found.token == end_id)


def _best_ended(beams: Beams, children: Children, alpha: Tensor | float) -> tuple[Tensor, Tensor, Tensor]:
    """Of the sentences that had ended and those that end now, the M best: ids, log probability, score."""
    possible = children.ends & (children.logp > IMPOSSIBLE / 2) & ~beams.decided[:, None]
    score = tf.where(possible, children.logp / length_penalty(beams.position + 1, alpha), IMPOSSIBLE)
    score, kept = tf.math.top_k(tf.concat([beams.ended_score, score], axis=1), beams.last.shape[1])

    def keep(before: Tensor, now: Tensor) -> Tensor:
        return tf.gather(tf.concat([before, now], axis=1), kept, batch_dims=1)

    return keep(beams.ended_ids, children.ids), keep(beams.ended_logp, children.logp), score


def best_hypotheses(beams: Beams, beam_size: int, alpha: Tensor | float) -> SearchResult:
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
