"""Decoding a translation step by step: from any prefix, by any search, with each step's alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from core.arrays import Floats
from core.config import DecodingConfig
from core.inference.search import IMPOSSIBLE, Step, length_penalty, log_softmax, run
from core.inference.translator import TranslationError, Translator, target_limit
from core.records.analysis import BeamChild, BeamEnd, BeamStatus, BeamTree, DecodingStep, NextToken
from core.records.text import Hypothesis
from core.tokens.vocabulary import Vocabulary

NUM_LIKELIEST = 10  # tokens shown per step
_LIKELY = 0.2  # the least probability of each of two good choices


@dataclass(frozen=True)
class Written:
    """The result of a search from a prefix."""

    hypotheses: tuple[Hypothesis, ...]  # best first; samples in the order of their numbers
    tree: BeamTree | None = None  # for beam search only


class Writer:
    """Writes translations with one model, and explains their steps. Read-only: threads may share it."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._vocabulary = translator.target_tokenizer.vocabulary

    def limit(self, source_ids: Sequence[int]) -> int:
        """Return the largest number of tokens of a translation, the end included."""
        return target_limit(len(source_ids), self._translator.config)

    def write(
        self, source_ids: Sequence[int], decoding: DecodingConfig, prefix: Sequence[int] = ()
    ) -> Written:
        """Continue a translation from a prefix to its end.

        Args:
            source_ids: ids of the sentence.
            decoding: how to search or sample.
            prefix: ids that the translation begins with, at most `limit`; the end may be among them.

        Raises:
            TranslationError: the prefix is too long, or the weights overflow.
        """
        if len(prefix) > (most := self.limit(source_ids)):
            raise TranslationError(
                f"The prefix has {len(prefix):,} tokens; this translation has at most {most}. Shorten it."
            )
        search = self._translator.search(source_ids, decoding, prefix)
        steps: list[Step] = []
        (hypotheses,) = self._translator.hypotheses(run(search, steps.append))
        if decoding.beam_size == 1 or self._vocabulary.end_id in prefix:
            return Written(hypotheses)
        logp = hypotheses[0].log_probability
        return Written(hypotheses, beam_tree(steps, prefix, logp, decoding.length_penalty, self._vocabulary))

    def steps(self, source_ids: Sequence[int], ids: Sequence[int]) -> tuple[DecodingStep, ...]:
        """Return the tokens that the model could have written at each step of a translation, given as ids.

        Raises:
            TranslationError: the result would be too large to show, or the weights overflow.
        """
        if not ids:
            return ()
        trace = self._translator.trace_of(source_ids, ids)
        cross = trace.attention.cross[0]  # (L, H, T, S)
        log_probabilities = log_softmax(trace.logits[0])  # (T, V)
        return tuple(self._step(log_probabilities[t], ids[t], cross[:, :, t]) for t in range(len(ids)))

    def _step(self, log_probabilities: Floats, chosen: int, cross: Floats) -> DecodingStep:
        # No search ever writes pad or start.
        possible = log_probabilities.copy()
        possible[[self._vocabulary.pad_id, self._vocabulary.start_id]] = -np.inf
        order = np.argsort(-possible, kind="stable")[: min(NUM_LIKELIEST, len(possible) - 2)]

        def token(number: int) -> NextToken:
            rank = int((possible > possible[number]).sum()) + 1
            return NextToken(number, self._vocabulary.tokens[number], float(log_probabilities[number]), rank)

        return DecodingStep(tuple(token(int(each)) for each in order), token(chosen), cross)


def parting_step(steps: Sequence[DecodingStep]) -> int:
    """Return the number, from 1, of the first step with two good choices of a word; 1 if there is none."""
    for number, step in enumerate(steps, start=1):
        best = step.likeliest[:2]
        if all(exp(each.log_probability) >= _LIKELY and each.token.isalpha() for each in best):
            return number
    return 1


def beam_tree(
    steps: Sequence[Step], prefix: Sequence[int], prefix_logp: float, alpha: float, vocabulary: Vocabulary
) -> BeamTree:
    """Build the tree of one sentence's beam search: which hypotheses were kept or pruned, and which one won.

    Args:
        steps: the steps of `core.inference.search.beam_search`.
        prefix: the forced ids.
        prefix_logp: log P of the prefix, nats; used if the search had no steps.
        alpha: exponent of the length penalty.
        vocabulary: the target language's vocabulary.
    """
    beam_size = steps[0].kept.shape[1] if steps else 1
    live = [_hypothesis(tuple(prefix), prefix_logp, alpha, step=-1, child=-1)]
    finished: list[BeamEnd] = []
    tree = []
    for number, step in enumerate(steps):
        possible = int((step.log_probability[0] > IMPOSSIBLE / 2).sum())  # the likeliest come first
        parents = [live[parent] for parent in step.parent[0, :possible]]
        found = [
            _hypothesis((*parent.ids, token), logp, alpha, number, index)
            for index, (parent, token, logp) in enumerate(
                zip(parents, step.token[0].tolist(), step.log_probability[0].tolist(), strict=False)
            )
        ]
        ends = [replace(each, finished=True) for each in found if each.ids[-1] == vocabulary.end_id]
        finished = sorted([*finished, *ends], key=lambda end: -end.score)[:beam_size]
        kept = [index for index in step.kept[0].tolist() if index < len(found)]
        statuses = dict.fromkeys(kept, BeamStatus.LIVE)
        statuses |= {end.child: BeamStatus.FINISHED for end in finished if end.step == number}
        tree.append(
            tuple(
                BeamChild(
                    token=vocabulary.tokens[each.ids[-1]],
                    ids=each.ids,
                    parent=parent.child,
                    log_probability=each.log_probability,
                    score=each.score,
                    status=statuses.get(each.child, BeamStatus.PRUNED),
                )
                for parent, each in zip(parents, found, strict=True)
            )
        )
        live = [found[index] for index in kept]
    cut_off = sorted(live, key=lambda end: -end.score)
    return BeamTree(tuple(tree), tuple([*finished, *cut_off][:beam_size]))


def _hypothesis(ids: tuple[int, ...], log_probability: float, alpha: float, step: int, child: int) -> BeamEnd:
    """Return a hypothesis that has not finished."""
    penalty = length_penalty(len(ids), alpha)
    return BeamEnd(ids, log_probability, penalty, log_probability / penalty, False, step, child)
