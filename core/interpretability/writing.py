"""How a translation is written: from any beginning, by any search, and what else each step could have said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.config import DecodingConfig
from core.decoding.batches import source_bucket, target_limit
from core.decoding.open_search import RecordedChildren, compiled_record, samples
from core.decoding.text.translation_error import check_finite
from core.decoding.translator import TranslationError, Translator
from core.interpretability.beam_tree import beam_tree
from core.pipeline import pad
from core.records import BeamTree, DecodingStep, Hypothesis, NextToken

NUM_LIKELIEST = 10  # tokens of a step that are shown


@dataclass(frozen=True)
class Written:
    """What a search wrote after a beginning."""

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
        """Most tokens of a translation, its end included."""
        config = self._translator.config
        return target_limit(len(source_ids), config)

    def write(
        self, source_ids: Sequence[int], decoding: DecodingConfig, beginning: Sequence[int] = ()
    ) -> Written:
        """Go on from a beginning until the end.

        Args:
            source_ids: as the model reads them.
            decoding: how to search, or to draw.
            beginning: ids that the translation begins with, at most `limit`; perhaps with the end already.

        Raises:
            TranslationError: the beginning is too long, or the weights overflow.
        """
        if len(beginning) > (most := self.limit(source_ids)):
            raise TranslationError(
                f"The beginning has {len(beginning):,} tokens; this translation has at most {most}. Shorten it."
            )
        if decoding.beam_size > 1 and self._vocabulary.end_id not in beginning:
            return self._beams(source_ids, decoding, beginning)
        config, packed = self._translator.config, self._translator.packed_weights
        found = samples(config, packed, self._padded(source_ids), decoding, beginning)
        return Written(self._translator.hypotheses(found, 1)[0])

    def steps(self, source_ids: Sequence[int], ids: Sequence[int]) -> tuple[DecodingStep, ...]:
        """What the model could have written at each step of a translation, from one teacher-forced pass.

        Args:
            source_ids: as the model reads them.
            ids: of the translation, with the end where it ended.

        Raises:
            TranslationError: that would be too large to show, or the weights overflow.
        """
        if not ids:
            return ()
        found, attention = self._translator.teacher_forced(source_ids, ids)
        log_probabilities = found.numpy()[0].astype(np.float64)
        check_finite(log_probabilities)
        cross = attention.cross.numpy()[0]  # (L, H, T, S)
        return tuple(
            self._step(row, chosen, cross[:, :, number])
            for number, (row, chosen) in enumerate(zip(log_probabilities, ids, strict=True))
        )

    def _step(
        self, log_probabilities: NDArray[np.float64], chosen: int, cross: NDArray[np.float32]
    ) -> DecodingStep:
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

    def _next(self, log_probabilities: NDArray[np.float64], token_id: int, rank: int) -> NextToken:
        return NextToken(
            token_id, self._vocabulary.tokens[token_id], float(log_probabilities[token_id]), rank
        )

    def _beams(
        self, source_ids: Sequence[int], decoding: DecodingConfig, beginning: Sequence[int]
    ) -> Written:
        config, alpha = self._translator.config, decoding.length_penalty
        found, children = compiled_record(config, decoding.beam_size)(
            self._translator.packed_weights,
            self._padded(source_ids),
            np.array([beginning], np.int32).reshape(1, -1),
            self.limit(source_ids),
            alpha,
        )
        hypotheses = self._translator.hypotheses(found, 1)[0]
        recorded = RecordedChildren(*(part.numpy() for part in children))
        tree = beam_tree(recorded, beginning, hypotheses[0].log_probability, alpha, self._vocabulary)
        return Written(hypotheses, tree)

    def _padded(self, source_ids: Sequence[int]) -> NDArray[np.int32]:
        return pad([source_ids], source_bucket(len(source_ids), self._translator.config))
