"""The steps of a beam search as a tree: which hypotheses were kept, which were pruned, and which one won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.inference.search import IMPOSSIBLE, Step, length_penalty
from core.records import BeamChild, BeamEnd, BeamTree, Fate
from core.tokens.vocabulary import Vocabulary


def beam_tree(
    steps: Sequence[Step], prefix: Sequence[int], prefix_logp: float, alpha: float, vocabulary: Vocabulary
) -> BeamTree:
    """Follow the steps of one sentence's beam search.

    Args:
        steps: of `core.inference.search.beam_search`.
        prefix: ids that were forced.
        prefix_logp: log P of the prefix, nats; used where no step followed.
        alpha: of the length penalty.
        vocabulary: of the target language.
    """
    live: list[tuple[tuple[int, ...], float, int]] = [(tuple(prefix), prefix_logp, -1)]  # ids, log P, child
    finished: list[BeamEnd] = []
    children: list[tuple[BeamChild, ...]] = []
    for number, step in enumerate(steps):
        candidates = _candidates(step, live, alpha, vocabulary)
        ends = [
            _end(child.ids, child.log_probability, alpha, number, index, finished=True)
            for index, child in enumerate(candidates)
            if child.ids[-1] == vocabulary.end_id
        ]
        finished = sorted([*finished, *ends], key=lambda end: -end.score)[: step.kept.shape[1]]
        kept = [index for index in step.kept[0].tolist() if index < len(candidates)]
        fates = dict.fromkeys(kept, Fate.KEPT) | {
            end.child: Fate.ENDED for end in finished if end.step == number
        }
        children.append(
            tuple(
                replace(child, fate=fates.get(index, Fate.PRUNED)) for index, child in enumerate(candidates)
            )
        )
        live = [(candidates[index].ids, candidates[index].log_probability, index) for index in kept]
    cut_off = [_end(ids, logp, alpha, len(steps) - 1, child, finished=False) for ids, logp, child in live]
    cut_off.sort(key=lambda end: -end.score)
    beam_size = steps[0].kept.shape[1] if steps else 1
    return BeamTree(tuple(prefix), tuple(children), tuple([*finished, *cut_off][:beam_size]))


def _candidates(
    step: Step, live: list[tuple[tuple[int, ...], float, int]], alpha: float, vocabulary: Vocabulary
) -> list[BeamChild]:
    """Return what one step looked at, likeliest first, before it is known what becomes of it."""
    found = []
    rows = (values[0].tolist() for values in (step.token, step.parent, step.log_probability))
    for token, parent, logp in zip(*rows, strict=True):
        if logp > IMPOSSIBLE / 2:
            before, _, parent_child = live[parent]
            ids = (*before, token)
            score = logp / length_penalty(len(ids), alpha)
            found.append(BeamChild(vocabulary.tokens[token], ids, parent_child, logp, score, Fate.PRUNED))
    return found


def _end(
    ids: tuple[int, ...], log_probability: float, alpha: float, step: int, child: int, finished: bool
) -> BeamEnd:
    penalty = length_penalty(len(ids), alpha)
    return BeamEnd(ids, log_probability, penalty, log_probability / penalty, finished, step, child)
