"""Greedy translation with heads switched off."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.inference.search import run
from core.inference.translator import Translator
from core.interpretability.heads.gates import Head, without_heads

MAX_WRITTEN = 128  # tokens of a translation; with heads off some never end


def translate_without(
    translator: Translator, source: Sequence[int], off: Collection[Head]
) -> tuple[int, ...]:
    """Translate greedily with some heads off.

    Args:
        translator: of the model.
        source: ids of a sentence.
        off: the heads; none gives the greedy translation.

    Returns:
        Ids, the end included where the sentence ended.

    Raises:
        TranslationError: the weights overflow.
    """
    limit = min(MAX_WRITTEN, translator.config.max_target_length)
    found = run(translator.search(source, interventions=without_heads(translator.config, [off]), limit=limit))
    return translator.hypotheses(found)[0][0].ids
