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

_MANY_TOKENS = 32  # that a quarter of a screen cannot show


def show_heads(record: AttentionRecord, kind: AttentionKind, layer: int, fixed_scale: bool) -> None:
    """All heads of a layer side by side: four in a row on a screen, two of a long sentence; fewer on a phone."""
    longest = max(len(record.source_tokens), len(record.decoder_input_tokens))
    st.markdown(f"**{layer_title(kind, layer)}**")
    show_figures(
        attention_heads_figures(record, kind, layer, fixed_scale),
        alt=f"Heads of {kind} attention, layer {layer + 1}",
        key="heads_figure",
        across=4 if longest <= _MANY_TOKENS else 2,
    )


def show_head(
    record: AttentionRecord, kind: AttentionKind, layer: int, head: int | None, fixed_scale: bool
) -> None:
    """One head large, or the mean of all where `head` is None."""
    info = attention_info(record, kind, layer, head)
    show_figure(attention_figure(info, fixed_scale), alt=info.title, key="head_figure")
