"""A beam search replayed from what each of its steps chose from, to show who was kept, who was pruned, and who won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from numpy.typing import NDArray

from core.decoding.open_search import RecordedChildren
from core.records import BeamChild, BeamEnd, BeamTree, Fate
from core.tokens.vocabulary import Vocabulary

_LEAST = -1e8  # nats; what is less likely is no hypothesis but fills a place


class _Living(NamedTuple):
    """A beam before a step."""

    ids: tuple[int, ...]
    log_probability: float
    child: int  # which child of the step before it is; -1 for the beginning


def penalty(length: int, alpha: float) -> float:
    """((5 + |Y|) / (5 + 1)) ^ alpha, Wu et al. 2016, section 7, equation (14)."""
    return float(((5 + length) / 6) ** alpha)


def beam_tree(
    children: RecordedChildren,
    beginning: Sequence[int],
    beginning_logp: float,
    alpha: float,
    vocabulary: Vocabulary,
) -> BeamTree:
    """Follow the rules of `core.decoding.search.beam_search` once more.

    Args:
        children: of each step, as NumPy arrays.
        beginning: forced ids.
        beginning_logp: their log probability, nats; used where no step followed.
        alpha: of the length penalty.
        vocabulary: of the language written.
    """
    beam_size = children.token.shape[1] // 2
    living = [_Living(tuple(beginning), beginning_logp, -1)]
    ended: list[BeamEnd] = []
    steps: list[tuple[BeamChild, ...]] = []
    for number, step in enumerate(zip(*children, strict=True)):
        looked_at = _looked_at(living, step, alpha, vocabulary)
        ended = _best_ended(ended, looked_at, number, beam_size, alpha, vocabulary.end_id)
        steps.append(_with_fates(looked_at, ended, number, beam_size, vocabulary.end_id))
        living = [
            _Living(child.ids, child.log_probability, index)
            for index, child in enumerate(steps[-1])
            if child.fate is Fate.KEPT
        ]
    cut_off = [_end(*beam, len(steps) - 1, alpha, finished=False) for beam in living]
    cut_off.sort(key=lambda end: -end.score)
    return BeamTree(tuple(beginning), tuple(steps), tuple([*ended, *cut_off][:beam_size]))


def _looked_at(
    living: list[_Living], step: tuple[NDArray, NDArray, NDArray], alpha: float, vocabulary: Vocabulary
) -> list[BeamChild]:
    """The children of one step, before it is known what becomes of them."""
    found = []
    for token, parent, logp in zip(*(part.tolist() for part in step), strict=True):
        if logp > _LEAST:
            ids = (*living[parent].ids, token)
            score = logp / penalty(len(ids), alpha)
            text = vocabulary.tokens[token]
            found.append(BeamChild(text, ids, living[parent].child, logp, score, Fate.PRUNED))
    return found


def _best_ended(
    before: list[BeamEnd], now: list[BeamChild], step: int, beam_size: int, alpha: float, end_id: int
) -> list[BeamEnd]:
    ending = [
        _end(child.ids, child.log_probability, index, step, alpha, finished=True)
        for index, child in enumerate(now)
        if child.ids[-1] == end_id
    ]
    return sorted([*before, *ending], key=lambda end: -end.score)[:beam_size]


def _with_fates(
    children: list[BeamChild], ended: list[BeamEnd], step: int, beam_size: int, end_id: int
) -> tuple[BeamChild, ...]:
    complete = {end.child for end in ended if end.step == step}
    alive = [index for index, child in enumerate(children) if child.ids[-1] != end_id]
    fates = dict.fromkeys(complete, Fate.ENDED) | dict.fromkeys(alive[:beam_size], Fate.KEPT)
    return tuple(replace(child, fate=fates.get(index, Fate.PRUNED)) for index, child in enumerate(children))


def _end(
    ids: tuple[int, ...], log_probability: float, child: int, step: int, alpha: float, finished: bool
) -> BeamEnd:
    divisor = penalty(len(ids), alpha)
    return BeamEnd(ids, log_probability, divisor, log_probability / divisor, finished, step, child)
