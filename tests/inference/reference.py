"""Greedy and beam search a second time: plain Python over a whole pass of the model, nothing cached or compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PAD, START, END = 0, 2, 3
LogProbabilities = Callable[[list[tuple[int, ...]]], NDArray[np.float64]]
"""Beginnings, all of one length -> log P of each one's next token, (N, V)."""


class Found(NamedTuple):
    ids: tuple[int, ...]
    log_probability: float
    score: float
    finished: bool


def greedy(log_probabilities: LogProbabilities, max_length: int) -> Found:
    ids: tuple[int, ...] = ()
    total = 0.0
    while len(ids) < max_length and END not in ids:
        row = log_probabilities([ids])[0].copy()
        row[[PAD, START]] = -np.inf
        ids = (*ids, int(row.argmax()))
        total += row.max()
    return Found(ids, total, total, END in ids)


def beam(log_probabilities: LogProbabilities, max_length: int, beam_size: int, alpha: float) -> list[Found]:
    """To the length limit, without the early stop, so that a search that stops too early shows."""

    def score(length: int, total: float) -> float:
        return total / ((5 + length) / 6) ** alpha

    alive: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    ended: list[Found] = []
    for length in range(1, max_length + 1):
        rows = log_probabilities([ids for _, ids in alive])
        longer = [
            (total + row[token], (*ids, token))
            for (total, ids), row in zip(alive, rows, strict=True)
            for token in range(rows.shape[1])
            if token not in (PAD, START)
        ]
        longer = sorted(longer, reverse=True)[: 2 * beam_size]
        ended += [Found(ids, total, score(length, total), True) for total, ids in longer if ids[-1] == END]
        ended = sorted(ended, key=lambda found: -found.score)[:beam_size]
        alive = [item for item in longer if item[1][-1] != END][:beam_size]
    cut_off = [Found(ids, total, score(max_length, total), False) for total, ids in alive]
    return (ended + sorted(cut_off, key=lambda found: -found.score))[:beam_size]
