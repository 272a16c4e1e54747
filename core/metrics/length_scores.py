from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.metrics.bleu import score_detokenized
from core.records import LengthScore, SentenceResult

_LAST_OF_RANGE = (10, 20, 30, 40, 60)  # source tokens; then all longer ones


def length_scores(sentences: Sequence[SentenceResult]) -> Iterator[LengthScore]:
    """BLEU by length of the source, over all sentences of a range together: no mean of sentence scores."""
    first = 1
    for last in (*_LAST_OF_RANGE, None):
        chosen = [
            each
            for each in sentences
            if first <= each.source_tokens and (not last or each.source_tokens <= last)
        ]
        if chosen:
            scores = score_detokenized(
                [each.translation for each in chosen], [each.reference for each in chosen]
            )
            yield LengthScore(f"{first}–{last}" if last else f"over {first - 1}", scores.bleu, len(chosen))
        first = (last or 0) + 1
