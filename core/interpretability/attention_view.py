"""Attention prepared for display: by measure, of tokens or words. Axis letters: see `core.config`."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core.arrays import Floats
from core.interpretability.heads import best_aligned, clearest_head, head_roles, mean_alignment
from core.interpretability.rollout import rollout
from core.interpretability.words import Words, attention_of_words, is_special, merged_words, single_tokens
from core.language import N_, _, ngettext
from core.records.attention import AttentionKind, AttentionRecord, HeadMaps, TokenAttention
from core.records.text import Translation

Measure = Literal["weights", "norms", "rollout"]

KIND_NAMES: dict[AttentionKind, tuple[str, str, str]] = {  # name, title of rows, title of columns
    "cross": (N_("Cross-attention"), N_("predicted token"), N_("source token")),
    "encoder": (N_("Encoder self-attention"), N_("attending"), N_("attended to")),
    "decoder": (N_("Decoder self-attention"), N_("attending"), N_("attended to")),
}
_MEASURES: dict[Measure, tuple[str, str]] = {  # name with that of the attention, label of the values
    "weights": ("{attention}", N_("weight")),
    "norms": (N_("{attention}, norm-weighted"), N_("vector norm")),
    "rollout": (N_("{attention}, rollout"), N_("share")),
}
_DECIMALS = 6  # in JSON


@dataclass(frozen=True)
class AttentionOptions:
    """Options for the display of attention."""

    measure: Measure = "weights"
    by_word: bool = False  # whether to merge the subwords of a word
    specials: bool = True  # whether to show the start and end tokens


def read_attention(
    record: AttentionRecord,
    options: AttentionOptions,
    norms: Mapping[AttentionKind, Floats] | None = None,
    examples: Floats | None = None,
) -> dict[AttentionKind, HeadMaps]:
    """Return every kind of attention over one sentence pair for display; the measure "norms" needs `norms` of values.

    The mean alignment of example sentences, (2, L, H), counts as much as the sentence's when the head to show first is
    chosen, so that it seldom changes, and a head is said to align only if it does so in both.
    """
    maps = {}
    for kind, weights in _measured(record, options.measure, norms).items():
        attention = record.of_kind(kind)
        if kind == "cross" and examples is not None:
            first = best_aligned((mean_alignment([attention]) + examples) / 2)
        else:
            first = clearest_head([attention], kind)
        maps[kind] = _show(kind, attention, weights, options, head_roles(record, kind, examples), first)
    return maps


def _measured(
    record: AttentionRecord, measure: Measure, norms: Mapping[AttentionKind, Floats] | None
) -> dict[AttentionKind, Floats]:
    """Return every kind of attention between tokens by a measure, (L, H, T, S); H is 1 after rollout."""
    if measure == "rollout":
        rolled = rollout(record.encoder, record.decoder, record.cross)
        return {kind: getattr(rolled, kind)[:, None] for kind in KIND_NAMES}
    weights: dict[AttentionKind, Floats] = {kind: getattr(record, kind) for kind in KIND_NAMES}
    if measure == "norms":
        assert norms is not None
        return {kind: weights[kind] * norms[kind][:, :, None] for kind in KIND_NAMES}
    return weights


def _show(
    kind: AttentionKind,
    attention: TokenAttention,
    weights: Floats,
    options: AttentionOptions,
    roles: tuple[tuple[str, ...], ...],
    first: tuple[int, int],
) -> HeadMaps:
    """Return one kind of attention for display; `weights` are by the chosen measure, (L, H, T, S)."""
    rows = _words(attention.rows, options)
    columns = _words(attention.columns, options)
    seen = np.ones(weights.shape[-2:], np.float32)
    if kind == "decoder":
        seen = np.tril(seen)
    is_seen = attention_of_words(seen, rows, columns) > 0
    shown = np.where(is_seen, attention_of_words(weights, rows, columns), np.float32(np.nan))
    layers, heads = shown.shape[:2]
    names = tuple(str(head + 1) for head in range(heads))
    chosen = f"{first[0] + 1}.{first[1] + 1}"
    if options.measure == "rollout":
        names = (N_("rollout"),)
        roles = (("",),) * layers
        chosen = f"{layers}.rollout"
    elif heads > 1:
        shown = np.concatenate([shown, shown.mean(axis=1, keepdims=True)], axis=1)
        names = (*names, N_("mean"))
        roles = tuple((*layer, "") for layer in roles)
    highest = float(np.nanmax(shown, initial=0.0)) if options.measure == "norms" else 1.0
    by_measure, value_label = _MEASURES[options.measure]
    name, row_title, column_title = KIND_NAMES[kind]
    return HeadMaps(
        name=_(by_measure).format(attention=_(name)),
        weights=shown,
        names=names,
        roles=roles,
        first=chosen,
        rows=rows.texts,
        columns=columns.texts,
        row_title=_(row_title),
        column_title=_(column_title),
        value_label=_(value_label),
        notes=_notes(weights, rows, columns, options),
        highest=highest or 1.0,
    )


def attention_json(maps: Iterable[HeadMaps], translation: Translation) -> str:
    """Return attention as JSON: all layers and heads with their tokens, and null where a row may not attend."""
    found = []
    for shown in maps:
        weights = shown.heads.astype(np.float64).round(_DECIMALS)
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
        notes.append(_("Subwords are merged into words: their rows are averaged, their columns summed."))
    rows_hidden, columns_hidden = (
        length - sum(map(len, words.positions))
        for length, words in zip(weights.shape[-2:], (rows, columns), strict=True)
    )
    if columns_hidden:
        hidden = ngettext(
            "{count} token is hidden: rows now sum to less than before.",
            "{count} tokens are hidden: rows now sum to less than before.",
            columns_hidden,
        )
        notes.append(hidden.format(count=columns_hidden))
    elif rows_hidden:
        hidden = ngettext("{count} row is hidden.", "{count} rows are hidden.", rows_hidden)
        notes.append(hidden.format(count=rows_hidden))
    return tuple(notes)
