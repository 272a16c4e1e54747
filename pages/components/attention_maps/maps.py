"""The attention weights of a translation: one layer, all heads or one."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.figures.attention import (
    AttentionKind,
    attention_figure,
    attention_heads_figures,
    attention_info,
    layer_title,
)
from core.records import AttentionRecord
from pages.components.widgets.figure import show_figure, show_figures
from pages.components.widgets.remembered import choose, toggle

_MANY_TOKENS = 32  # that a quarter of a screen cannot show

_KINDS: dict[AttentionKind, str] = {
    "cross": "Cross-attention: target attends to source",
    "encoder": "Encoder self-attention: source attends to source",
    "decoder": "Decoder self-attention: target attends to target",
}
_CAPTIONS: dict[AttentionKind, str] = {
    "cross": "Each row is a step that chose the token at its left; each column a source token.",
    "encoder": "Each row is a source token that gathers from the tokens in the columns.",
    "decoder": "Each row is a target token that attends to itself and the tokens before; the future is blank.",
}


@dataclass(frozen=True)
class MapChoice:
    """Which attention weights are shown, and how."""

    kind: AttentionKind
    layer: int  # from 0
    head: str  # "all", "mean", or its number from 1
    fixed_scale: bool  # colours from 0 to 1


def choose_map(record: AttentionRecord) -> MapChoice:
    """Widgets for the kinds of attention, layers and heads that a record holds."""
    num_layers, num_heads = record.cross.shape[:2]
    first, second, third = st.columns([5, 3, 4], vertical_alignment="bottom")
    with first:
        kind = choose("Attention", _KINDS, key="kind", look="menu")
    with second:
        layer = choose("Layer", range(1, num_layers + 1), key="layer", default=num_layers)
    with third:
        fixed = toggle(
            "Colour scale from 0 to 1",
            True,
            key="fixed",
            help="On: colours can be compared between figures. Off: from 0 to the highest weight shown.",
        )
    heads = {str(number): f"Head {number}" for number in range(1, num_heads + 1)}
    head = choose("Head", {"all": "All", "mean": "Mean", **heads}, key="head")
    return MapChoice(kind, layer - 1, head, fixed)


def show_map(record: AttentionRecord, choice: MapChoice) -> None:
    """The heatmaps, and how to read them."""
    if choice.head == "all":
        _show_heads(record, choice)
    else:
        head = int(choice.head) - 1 if choice.head.isdecimal() else None
        info = attention_info(record, choice.kind, choice.layer, head)
        show_figure(attention_figure(info, choice.fixed_scale), alt=info.title, key="head_figure")
    st.caption(
        f"{_CAPTIONS[choice.kind]} Rows attend to columns; the attention weights of each row sum to 1. "
        "Hover to read a weight."
    )


def _show_heads(record: AttentionRecord, choice: MapChoice) -> None:
    """All heads of a layer side by side: four in a row on a screen, two of a long sentence; fewer on a phone."""
    longest = max(len(record.source_tokens), len(record.decoder_input_tokens))
    st.markdown(f"**{layer_title(choice.kind, choice.layer)}**")
    show_figures(
        attention_heads_figures(record, choice.kind, choice.layer, choice.fixed_scale),
        alt=f"Heads of {choice.kind} attention, layer {choice.layer + 1}",
        key="heads_figure",
        across=4 if longest <= _MANY_TOKENS else 2,
    )
