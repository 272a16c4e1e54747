"""A batch of sentences and its padding mask."""

from __future__ import annotations

import streamlit as st

from core.figures.masks import padding_figures
from core.theory.masks import padding_mask
from pages.components.lesson.view import View
from pages.components.masks.editable_batch import edit_batch
from pages.components.widgets.drawing.figure import show_figures


def _show_padding() -> None:
    batch = edit_batch(start=False)
    if not batch.ids.size:
        st.info("All three sentences are empty. Type a word.", icon=":material/edit:")
        return
    pads = int((batch.ids == 0).sum())
    st.markdown(
        f"**{pads} of {batch.ids.size} positions {'is' if pads == 1 else 'are'} padding.** The longest sentence sets "
        "the width, and shorter ones are filled up with the id 0."
    )
    show_figures(
        padding_figures(batch.words, batch.ids.tolist()),
        alt="The batch of ids, and below it its padding mask of the same shape",
        key="mask",
        across=1,
    )
    rows, columns = batch.ids.shape
    st.caption(
        f"The mask's shape is ({rows}, 1, 1, {columns}): with the ones in the middle, a sentence's row is the "
        "same for every head and for every query position."
    )


PADDING = View(_show_padding, (padding_mask,))
