"""The decoder's two masks, and what both together leave open."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.figures.masks import mask_figures
from core.theory.masks import causal_mask, decoder_mask, padding_mask
from pages.components.lesson.view import View
from pages.components.masks.editable_batch import choose_row, edit_batch
from pages.components.widgets.drawing.figure import show_figures


def _show_combined() -> None:
    batch = edit_batch(start=True)
    number = choose_row()
    words, ids = batch.words[number - 1], batch.ids[number - 1 : number]
    length = len(words)
    combined = decoder_mask(ids)[0, 0]
    st.markdown(f"**{int(combined.sum())} of {combined.size} positions are open** in sentence {number}.")
    masks = {
        "Padding": np.broadcast_to(padding_mask(ids)[0, 0], (length, length)),
        "Causal": causal_mask(length),
        "Combined": combined,
    }
    show_figures(
        mask_figures(masks, words, across=3),
        alt="The padding mask, the causal mask, and both combined",
        key="mask",
        across=3,
    )


COMBINED = View(_show_combined, (decoder_mask,))
