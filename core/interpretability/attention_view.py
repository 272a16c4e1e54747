"""The ways to read a record of attention: what is read, of which attention, and between which tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.interpretability.rollout import rollout
from core.interpretability.words import (
    Words,
    attention_of_words,
    is_special,
    merged_words,
    single_tokens,
)
from core.records import AttentionRecord, AttentionView, Translation, ValueNorms

Kind = Literal["encoder", "decoder", "cross"]
Measure = Literal["weights", "norms", "rollout"]


@dataclass(frozen=True)
class AttentionReading:
    """How attention is read."""

    kind: Kind = "cross"
    measure: Measure = "weights"
    by_word: bool = False  # subwords of a word put together
    specials: bool = True  # whether the start and end tokens are shown


def alignment_reading(reading: AttentionReading) -> AttentionReading:
    """The same between words alone, of cross-attention."""
    return replace(reading, kind="cross", by_word=True, specials=False)


Floats = NDArray[np.float32]


class AttentionMatrix(NamedTuple):
    """Numbers of one kind of attention, and the tokens they stand between."""

    weights: Floats  # (L, H, rows, columns)
    rows: tuple[str, ...]  # tokens
    columns: tuple[str, ...]
    allowed: NDArray[np.bool_]  # (rows, columns), False where a row may not attend


class _Measured(NamedTuple):
    """What AttentionRecord holds, measured otherwise: H may be 1, and rows may sum to anything."""

    record: AttentionRecord
    encoder: Floats
    decoder: Floats
    cross: Floats


def _measured(record: AttentionRecord, measure: Measure, norms: ValueNorms | None) -> _Measured:
    if measure == "rollout":
        rolled = rollout(record.encoder, record.decoder, record.cross)
        return _Measured(record, *(each[:, None] for each in (rolled.encoder, rolled.target, rolled.source)))
    if measure == "norms":
        if norms is None:
            raise ValueError("Norm-weighted attention needs the norms of the values. Received: None")
        return _Measured(
            record,
            record.encoder * norms.encoder[:, :, None],
            record.decoder * norms.decoder[:, :, None],
            record.cross * norms.cross[:, :, None],
        )
    return _Measured(record, record.encoder, record.decoder, record.cross)


def attention_matrix(
    record: AttentionRecord, reading: AttentionReading, norms: ValueNorms | None
) -> AttentionMatrix:
    """What `reading` takes from a record. Arguments and errors are those of `read_attention`."""
    found = _measured(record, reading.measure, norms)
    source, inputs = found.record.source_tokens, found.record.decoder_input_tokens
    past = np.tri(len(inputs), dtype=np.bool_)
    if reading.kind == "encoder":
        return AttentionMatrix(found.encoder, source, source, np.ones((len(source), len(source)), np.bool_))
    if reading.kind == "decoder":
        return AttentionMatrix(found.decoder, inputs, inputs, past)
    everywhere = np.ones((len(inputs), len(source)), np.bool_)
    return AttentionMatrix(found.cross, found.record.predicted_tokens, source, everywhere)


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


_DECIMALS = 6


def attention_json(view: AttentionView, translation: Translation) -> str:
    """All layers and heads with their tokens; null where a row may not attend."""
    values: dict[str, Any] = {
        "source": translation.source,
        "translation": translation.text,
        "attention": view.name,
        "number": view.says,
        "notes": list(view.notes),
        "rows": list(view.rows),
        "columns": list(view.columns),
        "axes": ["layer", "head", "row", "column"],
        "weights": _nested(view.weights.astype(np.float64).round(_DECIMALS).tolist()),
    }
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def _nested(values: Any) -> Any:
    """Lists of lists of numbers, with None for NaN."""
    if isinstance(values, list):
        return [_nested(value) for value in values]
    return None if values != values else values
