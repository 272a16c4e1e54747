"""Attention prepared for display: by measure, of tokens or words. Axis letters: see `core.config`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core.arrays import Floats
from core.interpretability.rollout import rollout
from core.interpretability.words import Words, attention_of_words, is_special, merged_words, single_tokens
from core.records.attention import AttentionKind, AttentionRecord, ShownAttention, TokenAttention
from core.records.text import Translation

Measure = Literal["weights", "norms", "rollout"]

_KINDS: dict[AttentionKind, tuple[str, str, str]] = {  # name, title of rows, title of columns
    "cross": ("Cross-attention", "predicted token", "source token"),
    "encoder": ("Encoder self-attention", "attending", "attended to"),
    "decoder": ("Decoder self-attention", "attending", "attended to"),
}
_MEASURES: dict[Measure, tuple[str, str]] = {  # suffix of the name, label of the values
    "weights": ("", "weight"),
    "norms": (", norm-weighted", "norm"),
    "rollout": (", rollout", "share"),
}
_DECIMALS = 6  # in JSON


@dataclass(frozen=True)
class AttentionOptions:
    """Options for the display of attention."""

    measure: Measure = "weights"
    by_word: bool = False  # whether to merge the subwords of a word
    specials: bool = True  # whether to show the start and end tokens


def read_attention(
    record: AttentionRecord, options: AttentionOptions, norms: Mapping[AttentionKind, Floats] | None = None
) -> dict[AttentionKind, ShownAttention]:
    """Return every kind of attention over one sentence pair for display; the measure "norms" needs `norms` of values."""
    measured = _measured(record, options.measure, norms)
    return {kind: _show(kind, record.of_kind(kind), weights, options) for kind, weights in measured.items()}


def _measured(
    record: AttentionRecord, measure: Measure, norms: Mapping[AttentionKind, Floats] | None
) -> dict[AttentionKind, Floats]:
    """Return every kind of attention between tokens by a measure, (L, H, T, S); H is 1 after rollout."""
    if measure == "rollout":
        rolled = rollout(record.encoder, record.decoder, record.cross)
        return {kind: getattr(rolled, kind)[:, None] for kind in _KINDS}
    weights: dict[AttentionKind, Floats] = {kind: getattr(record, kind) for kind in _KINDS}
    if measure == "norms":
        assert norms is not None
        return {kind: weights[kind] * norms[kind][:, :, None] for kind in _KINDS}
    return weights


def _show(
    kind: AttentionKind, attention: TokenAttention, weights: Floats, options: AttentionOptions
) -> ShownAttention:
    """Return one kind of attention for display; `weights` are those of the chosen measure, (L, H, T, S)."""
    rows = _words(attention.rows, options)
    columns = _words(attention.columns, options)
    seen = np.ones(weights.shape[-2:], np.float32)
    if kind == "decoder":
        seen = np.tril(seen)
    shown = attention_of_words(weights, rows, columns)
    suffix, value_label = _MEASURES[options.measure]
    name, row_title, column_title = _KINDS[kind]
    return ShownAttention(
        name=name + suffix,
        weights=np.where(attention_of_words(seen, rows, columns) > 0, shown, np.float32(np.nan)),
        rows=rows.texts,
        columns=columns.texts,
        row_title=row_title,
        column_title=column_title,
        value_label=value_label,
        notes=_notes(weights, rows, columns, options),
        per_head=options.measure != "rollout",
        max_value=np.inf if options.measure == "norms" else 1.0,
    )


def attention_json(maps: Iterable[ShownAttention], translation: Translation) -> str:
    """Return attention as JSON: all layers and heads with their tokens, and null where a row may not attend."""
    found = []
    for shown in maps:
        weights = shown.weights.astype(np.float64).round(_DECIMALS)
        values: dict[str, Any] = {
            "attention": shown.name,
            "number": shown.value_label,
            "notes": shown.notes,
            "rows": shown.rows,
            "columns": shown.columns,
            "axes": ["layer", "head", "row", "column"],
            "weights": np.where(np.isnan(weights), np.array(None), weights).tolist(),
        }
        found.append(values)
    texts = {"source": translation.source, "translation": translation.text}
    return json.dumps({**texts, "maps": found}, ensure_ascii=False, allow_nan=False)


def _words(tokens: tuple[str, ...], options: AttentionOptions) -> Words:
    words = merged_words(tokens) if options.by_word else single_tokens(tokens)
    return words.keep([options.specials or not is_special(text) for text in words.texts])


def _notes(weights: Floats, rows: Words, columns: Words, options: AttentionOptions) -> tuple[str, ...]:
    notes = []
    if options.by_word:
        notes.append("Subwords are merged into words: their rows are averaged, their columns summed.")
    rows_hidden, columns_hidden = (
        length - sum(map(len, words.positions))
        for length, words in zip(weights.shape[-2:], (rows, columns), strict=True)
    )
    if columns_hidden:
        are = "token is" if columns_hidden == 1 else "tokens are"
        notes.append(f"{columns_hidden} {are} hidden: rows now sum to less than before.")
    elif rows_hidden:
        notes.append(f"{rows_hidden} {'row is' if rows_hidden == 1 else 'rows are'} hidden.")
    return tuple(notes)
