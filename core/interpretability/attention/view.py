"""Attention as it is to be shown: between tokens or words, with what is to be said beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.interpretability.attention.matrix import AttentionMatrix, attention_matrix
from core.interpretability.attention.reading import AttentionReading, Kind, Measure
from core.interpretability.attention.words import (
    Words,
    attention_of_words,
    is_special,
    merged_words,
    single_tokens,
)
from core.records import AttentionRecord, AttentionView, ValueNorms

Floats = NDArray[np.float32]

_NAMES: dict[Kind, str] = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
    "cross": "Cross-attention",
}
_MEASURES: dict[Measure, tuple[str, str]] = {  # after the name; what a number is
    "weights": ("", "weight"),
    "norms": (", norm-weighted", "norm"),
    "rollout": (", rollout", "share"),
}


def read_attention(
    record: AttentionRecord, reading: AttentionReading, norms: ValueNorms | None = None
) -> AttentionView:
    """Attention as it is to be shown.

    Args:
        record: of one sentence pair.
        reading: how.
        norms: what `reading.measure` "norms" needs.

    Raises:
        ValueError: that is missing.
    """
    matrix = attention_matrix(record, reading, norms)
    row_words, column_words = _words(matrix.rows, reading), _words(matrix.columns, reading)
    weights, allowed = _between_words(matrix, row_words, column_words)
    suffix, says = _MEASURES[reading.measure]
    row_title = {"encoder": "source token", "decoder": "decoder-input token", "cross": "predicted token"}[
        reading.kind
    ]
    return AttentionView(
        name=_NAMES[reading.kind] + suffix,
        weights=np.where(allowed, weights, np.float32(np.nan)),
        rows=row_words.texts,
        columns=column_words.texts,
        row_title=row_title,
        column_title=f"{'decoder-input' if reading.kind == 'decoder' else 'source'} token attended to",
        says=says,
        notes=tuple(_notes(matrix, row_words, column_words, reading)),
        heads_apart=reading.measure != "rollout",
        most=np.inf if reading.measure == "norms" else 1.0,
    )


def _words(tokens: tuple[str, ...], reading: AttentionReading) -> Words:
    words = merged_words(tokens) if reading.by_word else single_tokens(tokens)
    return words.keep([reading.specials or not is_special(text) for text in words.texts])


def _between_words(matrix: AttentionMatrix, rows: Words, columns: Words) -> tuple[Floats, NDArray[np.bool_]]:
    """Weights (L, H, rows, columns), and where they are allowed (rows, columns)."""
    if not rows.texts or not columns.texts:
        shape = (len(rows.texts), len(columns.texts))
        return np.zeros((*matrix.weights.shape[:2], *shape), np.float32), np.ones(shape, np.bool_)
    weights = attention_of_words(matrix.weights, rows, columns)
    allowed = attention_of_words(matrix.allowed.astype(np.float32), rows, columns) > 0
    return weights, allowed


def _notes(matrix: AttentionMatrix, rows: Words, columns: Words, reading: AttentionReading) -> list[str]:
    notes = []
    if reading.by_word:
        notes.append("Subwords are merged into words: their rows are averaged, their columns summed.")
    hidden = len(matrix.columns) - sum(map(len, columns.positions))
    if hidden:
        notes.append(
            f"{hidden} token{' is' if hidden == 1 else 's are'} hidden: rows now sum to less than before."
        )
    elif left_out := len(matrix.rows) - sum(map(len, rows.positions)):
        notes.append(f"{left_out} row{' is' if left_out == 1 else 's are'} hidden.")
    return notes
