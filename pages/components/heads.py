import streamlit as st

from core.figures.attention import MOST_COLUMNS, AttentionKind, attention_heads_figure
from core.records import AttentionRecord
from pages.components.figure import show_figure

_FEW_TOKENS = 6  # that fit into half of a phone's width

# The server does not know how wide the browser is, so both arrangements go out and one is shown.
_ONE_OF_BOTH = """<style>
@media (max-width: 700px) { .st-key-heads_wide { display: none; } }
@media (min-width: 701px) { .st-key-heads_narrow { display: none; } }
</style>"""


def show_heads(record: AttentionRecord, kind: AttentionKind, layer: int, fixed_scale: bool) -> None:
    """All heads of a layer side by side: four in a row on a screen, one or two on a phone."""
    narrow = 2 if len(record.source_tokens) <= _FEW_TOKENS >= len(record.decoder_input_tokens) else 1
    st.html(_ONE_OF_BOTH)
    for name, columns in (("wide", MOST_COLUMNS), ("narrow", narrow)):
        with st.container(key=f"heads_{name}"):
            show_figure(
                attention_heads_figure(record, kind, layer, fixed_scale, columns),
                alt=f"All heads of {kind} attention, layer {layer + 1}",
                key=f"heads_figure_{name}",
            )
