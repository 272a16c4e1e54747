"""What a mask does to scores, while a sentence is written word by word."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.figures.masks import masked_attention_figures
from core.figures.number_tables import number_table, number_tables_html
from core.theory.attention import masked_softmax, softmax
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
    scores, mask, now = untrained_scores(words), decoder_mask(ids)[0, 0], written - 1
    without, weights = softmax(scores), masked_softmax(scores, mask)
    st.markdown(f"#### {plain(' '.join(words[:written]))} …")
    st.markdown(_describe(mask[now], without[now]))
    table = number_table(
        f"“{words[now]}” attends to …",
        np.stack([scores[now], additive(mask)[now], without[now], weights[now]], axis=1),
        words,
        ("score", "mask adds", "softmax, no mask", "softmax, mask"),
        {(row, 1): "read" for row in np.flatnonzero(~mask[now]).tolist()},
    )
    st.html(number_tables_html([[table]]))
    show_figures(
        masked_attention_figures(without, weights, words, written),
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


def _describe(allowed: NDArray[np.bool_], without: NDArray[np.floating]) -> str:
    """What is blocked in a row of the mask, and the attention it gets without one."""
    count, blocked = len(allowed), int((~allowed).sum())
    if not blocked:
        if count == 1:
            return "The only position is open: [START], which is all there is."
        return f"All {count} positions are open: none is in the future, and none is padding."
    return (
        f"Of {count} positions, {blocked} {'is' if blocked == 1 else 'are'} blocked. Without the mask, "
        f"**{without[~allowed].sum():.0%}** of the attention would go there, to tokens that are not written yet or have "
        "no meaning."
    )


SOFTMAX = View(_show_softmax, (additive, masked_softmax))
