"""Attention prepared for display: kind, measure, tokens or words. Axis letters: see `core.config`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core.arrays import Floats
from core.interpretability.rollout import rollout
from core.interpretability.words import Words, attention_of_words, is_special, merged_words, single_tokens
from core.records.attention import AttentionKind, AttentionRecord, AttentionView
from core.records.text import Translation

Measure = Literal["weights", "norms", "rollout"]

_KINDS: dict[AttentionKind, tuple[str, str, str]] = {  # name, title of rows, title of columns
    "encoder": ("Encoder self-attention", "attending", "attended to"),
    "decoder": ("Decoder self-attention", "attending", "attended to"),
    "cross": ("Cross-attention", "predicted token", "source token"),
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

    kind: AttentionKind = "cross"
    measure: Measure = "weights"
    by_word: bool = False  # whether to merge the subwords of a word
    specials: bool = True  # whether to show the start and end tokens


def read_attention(
    record: AttentionRecord, options: AttentionOptions, norms: Mapping[AttentionKind, Floats] | None = None
) -> AttentionView:
    """Return the attention over one sentence pair for display; the measure "norms" needs the `norms` of values."""
    weights = _measured(record, options, norms)
    attention = record.of_kind(options.kind)
    rows, columns = _words(attention.rows, options), _words(attention.columns, options)
    seen = np.ones(weights.shape[-2:], np.float32)
    if options.kind == "decoder":
        seen = np.tril(seen)
    shown = attention_of_words(weights, rows, columns)
    suffix, value_label = _MEASURES[options.measure]
    name, row_title, column_title = _KINDS[options.kind]
    return AttentionView(
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


def attention_json(views: Iterable[AttentionView], translation: Translation) -> str:
    """Return attention as JSON: all layers and heads with their tokens, and null where a row may not attend."""
    found = []
    for view in views:
        weights = view.weights.astype(np.float64).round(_DECIMALS)
        values: dict[str, Any] = {
            "attention": view.name,
            "number": view.value_label,
            "notes": view.notes,
            "rows": view.rows,
            "columns": view.columns,
            "axes": ["layer", "head", "row", "column"],
            "weights": np.where(np.isnan(weights), np.array(None), weights).tolist(),
        }
        found.append(values)
    texts = {"source": translation.source, "translation": translation.text}
    return json.dumps({**texts, "maps": found}, ensure_ascii=False, allow_nan=False)


def _measured(
    record: AttentionRecord, options: AttentionOptions, norms: Mapping[AttentionKind, Floats] | None
) -> Floats:
    """Return one kind of attention between tokens by the chosen measure, (L, H, T, S); H is 1 after rollout."""
    if options.measure == "rollout":
        rolled: Floats = getattr(rollout(record.encoder, record.decoder, record.cross), options.kind)
        return rolled[:, None]
    weights: Floats = getattr(record, options.kind)
    if options.measure == "norms":
        assert norms is not None
        return weights * norms[options.kind][:, :, None]
    return weights


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
