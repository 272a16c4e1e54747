"""The two masks of the decoder, and what is left open by both."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.figures.masks import mask_info
from core.theory.masks import decoder_mask, look_ahead_mask, padding_mask
from pages.components.lesson import Formula, Lesson
from pages.components.masks.convention import choose_convention
from pages.components.masks.editable_batch import choose_sentence, edit_batch
from pages.components.masks.panels import show_masks
from pages.components.view import View


def _show_both() -> None:
    batch = edit_batch(start=True)
    left, right = st.columns(2)
    with left:
        number = choose_sentence()
    with right:
        convention = choose_convention()
    words, ids = batch.words[number - 1], batch.ids[number - 1 : number]
    length = len(words)
    combined = decoder_mask(ids)[0, 0]
    st.markdown(f"**{int(combined.sum())} of {combined.size} places are open** in sentence {number}.")
    masks = {
        "Padding": np.broadcast_to(padding_mask(ids)[0, 0], (length, length)),
        "Look-ahead": look_ahead_mask(length),
        "Both together": combined,
    }
    show_masks(
        [mask_info(title, mask, words, words, convention) for title, mask in masks.items()],
        "The padding mask, the look-ahead mask, and both together",
        across=3,
    )


BOTH = View(
    "Both",
    _show_both,
    Lesson(
        notice="The decoder's self-attention needs both masks: a place is open only if it is no pad and not ahead. "
        "The first column is always open, since every sentence begins with [START], so every row has somewhere "
        "to look. The rows of pads are computed too, but nobody reads them.",
        formulas=(
            Formula(
                r"m_{b,1,t,s} = (id_{b,s} \neq 0) \wedge (s \le t)",
                "Section 3.2.3, and padding. In the other way of writing, ∧ becomes the maximum",
            ),
        ),
        code=(decoder_mask,),
        question="In a sentence without pads, which of the two masks can be left out here?",
        answer="The padding mask: it is True everywhere. For the longest sentence of a batch, both together are the "
        "triangle alone.",
    ),
)
