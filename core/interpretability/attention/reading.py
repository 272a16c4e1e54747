"""The ways to read a record of attention: what is read, of which attention, and between which tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.interpretability.attention.rollout import rollout
from core.interpretability.attention.word_links import Step
from core.interpretability.attention.words import (
    Words,
    attention_of_words,
    is_punctuation,
    is_special,
    merged_words,
    single_tokens,
)
from core.records import AttentionRecord, AttentionView, ValueNorms

Floats = NDArray[np.float32]
Kind = Literal["encoder", "decoder", "cross", "joint"]
Measure = Literal["weights", "norms", "rollout"]

_NAMES: dict[Kind, str] = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
    "cross": "Cross-attention",
    "joint": "Source and target",
}
_MEASURES: dict[Measure, tuple[str, str]] = {  # after the name; what a number is
    "weights": ("", "weight"),
    "norms": (", norm-weighted", "norm"),
    "rollout": (", rollout", "share"),
}


@dataclass(frozen=True)
class AttentionReading:
    """How attention is read."""

    kind: Kind = "cross"
    measure: Measure = "weights"
    step: Step = "writes"  # whose cross-attention stands beside a target token
    by_word: bool = False  # subwords of a word put together
    specials: bool = True  # whether the start and end tokens are shown
    punctuation: bool = True  # whether it is shown
    renormalized: bool = False  # whether rows sum to 1 after columns are hidden


class _Matrix(NamedTuple):
    weights: Floats  # (L, H, rows, columns)
    rows: tuple[str, ...]  # tokens
    columns: tuple[str, ...]
    allowed: NDArray[np.bool_]  # (rows, columns), False where a row may not attend


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
    matrix = _matrix(_measured(record, reading.measure, norms), reading)
    row_words, column_words = _words(matrix.rows, reading), _words(matrix.columns, reading)
    weights, allowed = _between_words(matrix, row_words, column_words, reading.renormalized)
    suffix, says = _MEASURES[reading.measure]
    targets = "predicted token" if reading.kind == "cross" and reading.step == "writes" else "token read"
    sides = {"encoder": "source token", "decoder": "decoder-input token", "joint": "token"}
    row_title = sides.get(reading.kind, targets)
    return AttentionView(
        name=_NAMES[reading.kind] + suffix,
        weights=np.where(allowed, weights, np.float32(np.nan)),
        rows=row_words.texts,
        columns=column_words.texts,
        row_title=row_title,
        column_title=f"{sides.get(reading.kind, 'source token')} attended to",
        says=says,
        notes=tuple(_notes(matrix, row_words, column_words, reading)),
        heads_apart=reading.measure != "rollout",
        most=np.inf if reading.measure == "norms" and not reading.renormalized else 1.0,
    )


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


def _matrix(found: _Measured, reading: AttentionReading) -> _Matrix:
    """Of one kind of attention, tokens as the model has them."""
    source, inputs = found.record.source_tokens, found.record.decoder_input_tokens
    past = np.tri(len(inputs), dtype=np.bool_)
    if reading.kind == "encoder":
        return _Matrix(found.encoder, source, source, np.ones((len(source), len(source)), np.bool_))
    if reading.kind == "decoder":
        return _Matrix(found.decoder, inputs, inputs, past)
    everywhere = np.ones((len(inputs), len(source)), np.bool_)
    if reading.kind == "cross":
        rows = found.record.predicted_tokens if reading.step == "writes" else inputs
        return _Matrix(found.cross, rows, source, everywhere)
    nowhere = np.zeros((len(source), len(inputs)))
    layers, heads = found.cross.shape[:2]
    ahead = np.broadcast_to(nowhere.astype(np.float32), (layers, heads, *nowhere.shape))
    allowed = np.block([[np.ones((len(source), len(source))), nowhere], [everywhere, past]]).astype(np.bool_)
    weights = np.block([[found.encoder, ahead], [found.cross, found.decoder]])
    return _Matrix(weights, source + inputs, source + inputs, allowed)


def _words(tokens: tuple[str, ...], reading: AttentionReading) -> Words:
    words = merged_words(tokens) if reading.by_word else single_tokens(tokens)
    wanted = [
        (reading.specials or not is_special(text)) and (reading.punctuation or not is_punctuation(text))
        for text in words.texts
    ]
    return words.keep(wanted)


def _between_words(
    matrix: _Matrix, rows: Words, columns: Words, renormalized: bool
) -> tuple[Floats, NDArray[np.bool_]]:
    """Weights (L, H, rows, columns), and where they are allowed (rows, columns)."""
    if not rows.texts or not columns.texts:
        shape = (len(rows.texts), len(columns.texts))
        return np.zeros((*matrix.weights.shape[:2], *shape), np.float32), np.ones(shape, np.bool_)
    weights = attention_of_words(matrix.weights, rows, columns, renormalized)
    allowed = attention_of_words(matrix.allowed.astype(np.float32), rows, columns) > 0
    return weights, allowed


def _notes(matrix: _Matrix, rows: Words, columns: Words, reading: AttentionReading) -> list[str]:
    notes = []
    if reading.by_word:
        notes.append("Subwords are merged into words: their rows are averaged, their columns summed.")
    hidden = len(matrix.columns) - sum(map(len, columns.positions))
    if hidden:
        sums = "rows are rescaled to sum to 1" if reading.renormalized else "rows now sum to less than before"
        notes.append(f"{hidden} token{' is' if hidden == 1 else 's are'} hidden: {sums}.")
    elif left_out := len(matrix.rows) - sum(map(len, rows.positions)):
        notes.append(f"{left_out} row{' is' if left_out == 1 else 's are'} hidden.")
    if reading.renormalized and not hidden:
        notes.append("Rows are rescaled to sum to 1.")
    if reading.kind == "joint" and reading.measure == "weights" and not reading.renormalized:
        notes.append(
            "A target row sums to 2: 1 over the source (cross-attention) and 1 over the target so far (self-attention)."
        )
    return notes


def alignment_reading(reading: AttentionReading) -> AttentionReading:
    """The same between words alone, of cross-attention."""
    return replace(reading, kind="cross", by_word=True, specials=False)
