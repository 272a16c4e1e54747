"""How a translation is written: from any prefix, by any search, and what else each step could have said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.config import DecodingConfig
from core.inference.search import IMPOSSIBLE, Step, length_penalty, log_softmax
from core.inference.transformer import Floats
from core.inference.translator import TranslationError, Translator, target_limit
from core.records import BeamChild, BeamEnd, BeamTree, DecodingStep, Fate, Hypothesis, NextToken
from core.tokens.vocabulary import Vocabulary

NUM_LIKELIEST = 10  # tokens of a step that are shown


@dataclass(frozen=True)
class Written:
    """What a search wrote after a prefix."""

    hypotheses: tuple[Hypothesis, ...]  # best first; samples in the order of their numbers
    tree: BeamTree | None = None  # of beam search


class Writer:
    """Writes translations with one model, and opens them. Read-only: threads may share it.

    Args:
        translator: of the model.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._vocabulary = translator.target_tokenizer.vocabulary

    def limit(self, source_ids: Sequence[int]) -> int:
        """Return the most tokens of a translation, its end included."""
        return target_limit(len(source_ids), self._translator.config)

    def write(
        self, source_ids: Sequence[int], decoding: DecodingConfig, prefix: Sequence[int] = ()
    ) -> Written:
        """Go on from a prefix until the end.

        Args:
            source_ids: as the model reads them.
            decoding: how to search, or to draw.
            prefix: ids that the translation begins with, at most `limit`; perhaps with the end already.

        Raises:
            TranslationError: the prefix is too long, or the weights overflow.
        """
        if len(prefix) > (most := self.limit(source_ids)):
            raise TranslationError(
                f"The prefix has {len(prefix):,} tokens; this translation has at most {most}. Shorten it."
            )
        is_beam = decoding.beam_size > 1 and self._vocabulary.end_id not in prefix
        how = decoding if is_beam else decoding.replace(beam_size=1)
        search = self._translator.search(source_ids, how, prefix)
        steps: list[Step] = []
        while True:
            try:
                steps.append(next(search))
            except StopIteration as end:
                hypotheses = self._translator.hypotheses(end.value)[0]
                break
        if not is_beam:
            return Written(hypotheses)
        logp = hypotheses[0].log_probability
        tree = beam_tree(steps, prefix, logp, decoding.length_penalty, self._vocabulary)
        return Written(hypotheses, tree)

    def steps(self, source_ids: Sequence[int], ids: Sequence[int]) -> tuple[DecodingStep, ...]:
        """Return what the model could have written at each step of a translation, from one teacher-forced pass.

        Args:
            source_ids: as the model reads them.
            ids: of the translation, with the end where it ended.

        Raises:
            TranslationError: that would be too large to show, or the weights overflow.
        """
        if not ids:
            return ()
        trace = self._translator.trace_of(source_ids, ids)
        log_probabilities, cross = log_softmax(trace.logits[0]), trace.attention.cross[0]  # (L, H, T, S)
        return tuple(
            self._step(row, chosen, cross[:, :, number])
            for number, (row, chosen) in enumerate(zip(log_probabilities, ids, strict=True))
        )

    def _step(self, log_probabilities: Floats, chosen: int, cross: Floats) -> DecodingStep:
        # No search ever writes pad or start.
        possible = log_probabilities.copy()
        possible[[self._vocabulary.pad_id, self._vocabulary.start_id]] = -np.inf
        most = min(NUM_LIKELIEST, len(possible) - 2)
        order = np.argsort(-possible, kind="stable")[:most].tolist()
        rank = int((possible > possible[chosen]).sum()) + 1
        return DecodingStep(
            likeliest=tuple(self._next(log_probabilities, i, n) for n, i in enumerate(order, start=1)),
            chosen=self._next(log_probabilities, chosen, rank),
            cross=cross,
        )

    def _next(self, log_probabilities: Floats, token_id: int, rank: int) -> NextToken:
        return NextToken(
            token_id, self._vocabulary.tokens[token_id], float(log_probabilities[token_id]), rank
        )


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
