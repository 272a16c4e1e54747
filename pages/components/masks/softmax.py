"""What a mask does to scores, while a sentence is written word by word."""

from __future__ import annotations

import streamlit as st

from core.figures.masked_attention import (
    MaskedAttentionInfo,
    masked_attention_figures,
    masked_attention_info,
)
from core.figures.number_tables import number_tables_html
from core.theory.attention import masked_softmax
from core.theory.masks import additive, decoder_mask
from core.theory.untrained_head import untrained_scores
from pages.components.lesson.view import View
from pages.components.masks.editable_batch import choose_row, edit_batch
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.memory import set_value
from pages.components.widgets.numbers import slider
from pages.components.widgets.words import plain

_WRITTEN = "written"  # in the address


def _show_softmax() -> None:
    batch = edit_batch(start=True)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        number = choose_row()
    words, ids = batch.words[number - 1], batch.ids[number - 1 : number]
    with right:
        written = _choose_written(int((ids != 0).sum()))
    info = masked_attention_info(untrained_scores(words), decoder_mask(ids)[0, 0], words, written)
    st.markdown(f"#### {plain(' '.join(words[:written]))} …")
    st.markdown(_describe(info))
    st.html(number_tables_html([[info.table]]))
    show_figures(
        masked_attention_figures(info),
        alt=f"Attention weights of the first {written} tokens, without the mask and with it: a triangle",
        key="softmax",
        across=2,
    )
    st.caption(
        "One untrained head; its scores are rounded, so that you can check the softmax. Earlier rows do not "
        "change when a row is added: that is why a translation can be written word by word, and why training can "
        "read all of it at once."
    )


def _choose_written(real: int) -> int:
    """How many of the real tokens are written so far."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        written = slider("Tokens written so far", 1, real, 3, _WRITTEN)
        st.button(
            "Write the next",
            icon=":material/chevron_right:",
            on_click=set_value,
            args=(_WRITTEN, written + 1),
            disabled=written >= real,
        )
    return written


def _describe(info: MaskedAttentionInfo) -> str:
    count = len(info.table.row_labels)
    if not info.blocked:
        if count == 1:
            return "The only position is open: [START], which is all there is."
        return f"All {count} positions are open: none is in the future, and none is padding."
    return (
        f"Of {count} positions, {info.blocked} {'is' if info.blocked == 1 else 'are'} blocked. Without the mask, "
        f"**{info.lost:.0%}** of the attention would go there, to tokens that are not written yet or have no meaning."
    )


SOFTMAX = View(_show_softmax, (additive, masked_softmax))
