"""Word alignment read from cross-attention, and its error for every head."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.corpora.hand_aligned import AlignedPair
from core.decoding.translator import Translator
from core.interpretability.attention.word_links import Step, attention_links, rows_at_step
from core.interpretability.attention.words import Words, attention_of_words, is_special, merged_words
from core.interpretability.tracer import Tracer
from core.metrics.alignment_error import alignment_error_rate

Floats = NDArray[np.float32]


def head_alignment_errors(translator: Translator, pairs: Sequence[AlignedPair], step: Step) -> Floats:
    """The alignment error rate of every head of cross-attention (L, H), by teacher forcing on the references.

    Args:
        translator: of a model for these languages.
        pairs: aligned by hand; those that the model's tokenizer cuts into other words are left out.
        step: whose attention is read.

    Raises:
        ValueError: no pair is left.
    """
    config, read = translator.config, _read(translator, pairs, step)
    return np.array(
        [
            [
                _error((pair, weights[layer, head]) for pair, weights in read)
                for head in range(config.num_heads)
            ]
            for layer in range(config.num_layers)
        ],
        np.float32,
    )


def layer_alignment_errors(translator: Translator, pairs: Sequence[AlignedPair], step: Step) -> Floats:
    """As `head_alignment_errors`, of the mean of each layer's heads, (L,)."""
    read = _read(translator, pairs, step)
    layers = range(translator.config.num_layers)
    return np.array(
        [_error((pair, weights[layer].mean(axis=0)) for pair, weights in read) for layer in layers],
        np.float32,
    )


def _read(
    translator: Translator, pairs: Sequence[AlignedPair], step: Step
) -> list[tuple[AlignedPair, Floats]]:
    found = [read for pair in pairs if (read := _word_attention(translator, pair, step)) is not None]
    if not found:
        raise ValueError("This model splits all hand-aligned sentences into other words.")
    return found


def _error(read: Iterable[tuple[AlignedPair, Floats]]) -> float:
    """Of pairs with the attention (T, S) of each."""
    return alignment_error_rate(
        (attention_links(weights), pair.sure, pair.possible) for pair, weights in read
    )


def _word_attention(
    translator: Translator, aligned: AlignedPair, step: Step
) -> tuple[AlignedPair, Floats] | None:
    """Cross-attention between the words of a pair, (L, H, T, S); None where they are not those aligned by hand."""
    source, target = aligned.pair.source, aligned.pair.target
    source_words = merged_words(translator.source_tokenizer.tokens(source))
    target_words = merged_words(translator.target_tokenizer.tokens(target))
    if not _same_words(source_words, source) or not _same_words(target_words, target):
        return None
    vocabulary = translator.target_tokenizer.vocabulary
    predicted = translator.target_tokenizer.encode(target)
    trace = Tracer(translator).trace(
        np.array([translator.source_tokenizer.encode(source)], np.int32),
        np.array([[vocabulary.start_id, *predicted]], np.int32),
    )
    rows = rows_at_step(trace.attention.cross[0], step)
    return aligned, attention_of_words(rows, target_words, source_words)


def _same_words(found: Words, text: str) -> bool:
    return list(found.texts) == text.split() and not any(map(is_special, found.texts))
