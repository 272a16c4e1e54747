"""How a translation is written: from any prefix, by any search, and what else each step could have said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.config import DecodingConfig
from core.inference.search import Step, log_softmax
from core.inference.transformer import Floats
from core.inference.translator import TranslationError, Translator, target_limit
from core.interpretability.beam_tree import beam_tree
from core.records import BeamTree, DecodingStep, Hypothesis, NextToken

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
