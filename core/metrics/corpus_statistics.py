"""How long the sentences of a corpus are, in words and in subwords."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.records import Pair
from core.tokens.base import Tokenizer
from core.tokens.word import normalize

_TEXTS_BETWEEN_REPORTS = 500


@dataclass(frozen=True)
class SentenceLengths:
    """Of each sentence, by side: "source" and "target"."""

    words: dict[str, list[int]]
    subwords: dict[str, list[int]] | None  # by a shipped vocabulary; None where none fits


def sentence_lengths(
    pairs: Sequence[Pair],
    tokenizers: tuple[Tokenizer, Tokenizer] | None,
    report: Callable[[float], None] = lambda share: None,
) -> SentenceLengths:
    """Count words, and subwords where there is a vocabulary.

    Args:
        pairs: at least one.
        tokenizers: of a model in the corpus's languages, (source, target); None where there is none.
        report: told now and then which share of the pairs is counted, 0 to 1.
    """
    words: dict[str, list[int]] = {"source": [], "target": []}
    subwords: dict[str, list[int]] = {"source": [], "target": []}
    for number, pair in enumerate(pairs):
        if number % _TEXTS_BETWEEN_REPORTS == 0:
            report(number / len(pairs))
        for side, text in (("source", pair.source), ("target", pair.target)):
            words[side].append(len(normalize(text).split()))
        if tokenizers is not None:
            subwords["source"].append(len(tokenizers[0].tokens(pair.source)))
            subwords["target"].append(len(tokenizers[1].tokens(pair.target)))
    return SentenceLengths(words, subwords if tokenizers is not None else None)
