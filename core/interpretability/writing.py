"""The steps of a search, with their alternatives, and the tree of a beam search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from core.arrays import Floats
from core.config import DecodingConfig
from core.inference.model import attention_names, stacked
from core.inference.search import IMPOSSIBLE, Step, length_penalty, log_softmax
from core.interpretability.teacher_forcing import Tracer
from core.records.analysis import BeamNode, BeamStatus, BeamTree, DecodingStep, NextToken
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

    The other arguments and the errors are those of `Translator.search` and `Translator.results`.
    """
    vocabulary = tracer.translator.target_tokenizer.vocabulary
    hypotheses, searched = tracer.translator.search(source_ids, decoding, prefix)
    best = hypotheses[0]
    cross = attention_names("cross", "weights", tracer.config)
    found = tracer.translator.results_of(source_ids, best.ids, [*cross, "output"])
    steps = decoding_steps(found["output"][0], stacked(found, cross), best.ids, vocabulary)
    tree = None
    if decoding.beam_size > 1 and END_ID not in prefix:
        tree = beam_tree(searched, prefix, best.log_probability, decoding.length_penalty, vocabulary)
    return Written(hypotheses, steps, tree)


def decoding_steps(
    logits: Floats, cross: Floats, ids: Sequence[int], vocabulary: Vocabulary
) -> tuple[DecodingStep, ...]:
    """Return the tokens that the model could have written at each step of a hypothesis.

    Args:
        logits: of each step, (T, V).
        cross: cross-attention, (L, H, T, S).
        ids: the hypothesis, T ids.
        vocabulary: the target language's vocabulary.
    """
    log_probabilities = log_softmax(logits)  # (T, V)
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
    live = [BeamNode("", tuple(prefix), -1, -1, -1, prefix_logp, length_penalty(len(prefix), alpha))]
    finished: list[BeamNode] = []
    tree = []
    for number, step in enumerate(steps):
        possible = int((step.log_probability[0] > IMPOSSIBLE / 2).sum())  # the likeliest come first
        columns = (step.token[0], step.parent[0], step.log_probability[0])
        found = [
            BeamNode(
                token=vocabulary.tokens[token],
                ids=(*live[parent].ids, token),
                step=number,
                number=index,
                parent=live[parent].number,
                log_probability=log_probability,
                penalty=length_penalty(len(live[parent].ids) + 1, alpha),
                finished=token == END_ID,
            )
            for index, (token, parent, log_probability) in enumerate(
                zip(*(column[:possible].tolist() for column in columns), strict=True)
            )
        ]
        ended = [node for node in found if node.finished]
        finished = sorted([*finished, *ended], key=lambda node: -node.score)[:beam_size]
        kept = [index for index in step.kept[0].tolist() if index < len(found)]
        statuses = dict.fromkeys(kept, BeamStatus.LIVE)
        statuses |= {node.number: BeamStatus.FINISHED for node in finished if node.step == number}
        tree.append(tuple(replace(node, status=statuses.get(node.number, node.status)) for node in found))
        live = [found[index] for index in kept]
    cut_off = sorted(live, key=lambda node: -node.score)
    return BeamTree(tuple(tree), tuple([*finished, *cut_off][:beam_size]))
