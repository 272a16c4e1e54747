"""The steps of a search, with their alternatives, and the tree of a beam search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from core.arrays import Floats
from core.config import DecodingConfig
from core.inference.search import IMPOSSIBLE, Step, length_penalty, log_softmax
from core.inference.transformer import Trace
from core.interpretability.teacher_forcing import Tracer
from core.records.analysis import BeamChild, BeamEnd, BeamStatus, BeamTree, DecodingStep, NextToken
from core.records.text import Hypothesis
from core.tokens.vocabulary import END_ID, PAD_ID, START_ID, Vocabulary

NUM_LIKELIEST = 10  # tokens shown per step
_LIKELY = 0.2  # the least probability of each of two good choices


@dataclass(frozen=True)
class Written:
    """The translations that a search has found from a prefix, with its steps."""

    hypotheses: tuple[Hypothesis, ...]  # best first; samples in the order of their numbers
    steps: tuple[DecodingStep, ...]  # of the first hypothesis
    tree: BeamTree | None = None  # for beam search only


def write(
    tracer: Tracer, source_ids: Sequence[int], decoding: DecodingConfig, prefix: Sequence[int] = ()
) -> Written:
    """Translate a sentence from a prefix on, with what the model could have written at each step.

    The other arguments and the errors are those of `Translator.search` and `Translator.trace`.
    """
    vocabulary = tracer.translator.target_tokenizer.vocabulary
    hypotheses, searched = tracer.translator.search(source_ids, decoding, prefix)
    best = hypotheses[0]
    steps = decoding_steps(tracer.translator.trace_one(source_ids, best.ids), best.ids, vocabulary)
    tree = None
    if decoding.beam_size > 1 and END_ID not in prefix:
        tree = beam_tree(searched, prefix, best.log_probability, decoding.length_penalty, vocabulary)
    return Written(hypotheses, steps, tree)


def decoding_steps(trace: Trace, ids: Sequence[int], vocabulary: Vocabulary) -> tuple[DecodingStep, ...]:
    """Return the tokens that the model could have written at each step of a hypothesis.

    Args:
        trace: of the sentence and the hypothesis.
        ids: the hypothesis's ids.
        vocabulary: the target language's vocabulary.
    """
    log_probabilities = log_softmax(trace.logits[0])  # (T, V)
    cross = trace.attention.cross[0]  # (L, H, T, S)
    return tuple(
        _decoding_step(log_probabilities[position], chosen, cross[:, :, position], vocabulary)
        for position, chosen in enumerate(ids)
    )


def _decoding_step(
    log_probabilities: Floats, chosen: int, cross: Floats, vocabulary: Vocabulary
) -> DecodingStep:
    # No search ever writes pad or start.
    possible = log_probabilities.copy()
    possible[[PAD_ID, START_ID]] = -np.inf
    shown = min(NUM_LIKELIEST, len(possible) - 2)
    order = np.argsort(-possible, kind="stable")[:shown]

    def token(number: int) -> NextToken:
        rank = int((possible > possible[number]).sum()) + 1
        return NextToken(number, vocabulary.tokens[number], float(log_probabilities[number]), rank)

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
        ends = [replace(each, finished=True) for each in found if each.ids[-1] == END_ID]
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
